package broken

import "os"

func use() int {
	var w Store = NewIdempotentStore(nil, nil)
	x := 1
	return "not an int"
}

var y undefined
