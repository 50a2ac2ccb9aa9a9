package idem

// Fingerprint collects what a duplicate must agree on. The engine makes it, generated code fills it.
type Fingerprint struct {
	err error
}

// Add takes a value under a name: a parameter's, or its number from 1 where it has none.
func (f *Fingerprint) Add(name string, v any) {}

func (f *Fingerprint) sum(key []byte) ([]byte, error) { return []byte{1}, f.err }
