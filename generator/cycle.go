package generator

// This file looks for import cycles among the packages that lean.go has read. What only function bodies use does not matter to it, but the go
// command counts those imports as well, and then has no types.

// acyclic is an error when packages import each other.
func (r *leanRun) acyclic() error {
	const busy, done = 1, 2
	state := map[*unit]int{}
	var cyclic func(u *unit) bool
	cyclic = func(u *unit) bool {
		if state[u] != 0 {
			return state[u] == busy
		}
		state[u] = busy
		for _, f := range u.files {
			for _, spec := range f.tree.Imports {
				if s := r.sources[importPath(spec)]; s != nil && cyclic(s) {
					return true
				}
			}
		}
		state[u] = done
		return false
	}
	for _, u := range r.units {
		if u.forTest == "" && cyclic(u) {
			return unsure{u.dir, "an import cycle"}
		}
	}
	return nil
}
