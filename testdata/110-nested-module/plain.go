// Package plain has a module below it.
package plain
