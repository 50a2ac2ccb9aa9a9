// Package trackID has an upper-case letter.
package trackID

// No is a number.
type No string
