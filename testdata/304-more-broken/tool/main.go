// Command tool can't be imported.
package main

// T is out of reach.
type T int

func main() {}
