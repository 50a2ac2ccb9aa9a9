// Package time is not the standard one.
package time

// Slot is a slot.
type Slot struct{ Day, Hour int }
