// Package wrapped is where the output would go.
package wrapped

// N is used by src.
const N = 1
