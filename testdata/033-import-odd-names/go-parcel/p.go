// Package parcel is in a directory with a prefix.
package parcel

// Parcel is a parcel.
type Parcel struct{ Grams int }
