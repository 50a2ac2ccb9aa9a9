// Package err has the name of a variable.
package err

// No is a number.
type No int
