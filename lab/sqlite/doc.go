// Package sqlite holds the store on SQLite to its promises, with the drivers that people use. They stay out of idemgen's own
// go.mod: that is why these tests are a module of their own.
package sqlite
