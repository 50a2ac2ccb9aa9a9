package idem

// OutputV1 is what generated files refer to: output that is newer than the runtime does not compile.
const OutputV1 = true
