// Package migrations holds no code: its tests have the real migration tools apply what "idemgen init" writes. They are a module of
// their own, so that the tools stay out of everybody else's.
package migrations
