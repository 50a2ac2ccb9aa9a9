// Package model is another package of the module.
package model

// Base has an id.
type Base struct {
	ID string `json:"id"`
}

// Point is no map key.
type Point struct{ X, Y int }

// Invoice is deep, too.
type Invoice struct {
	Parts map[string]*Part
}

// Part hides something.
type Part struct{ Name string; hidden int }

// Hidden is there.
func (p Part) Hidden() int { return p.hidden }
