package generator

// This file type-checks units several at a time: first those that import none of the others, then those that import only such, and so on.

// inWaves checks all units, and what they import. What imports itself in the end is left to the caller, who goes from one to the next.
func (c *leanChecker) inWaves() error {
	imports := map[*unit][]*unit{}
	var visit func(u *unit)
	visit = func(u *unit) {
		if _, seen := imports[u]; seen {
			return
		}
		imports[u] = nil
		if u.known {
			return
		}
		var list []*unit
		for _, f := range u.files {
			for _, spec := range f.tree.Imports {
				path := importPath(spec)
				if to, mapped := u.imports[path]; mapped {
					path = to
				}
				if s := c.source(u, path); s != nil {
					list = append(list, s)
					visit(s)
				}
			}
		}
		imports[u] = list
	}
	for _, u := range c.units {
		visit(u)
	}
	for len(imports) > 0 {
		var wave []*unit
		for u, list := range imports {
			ready := true
			for _, i := range list {
				if _, waits := imports[i]; waits {
					ready = false
					break
				}
			}
			if ready {
				wave = append(wave, u)
			}
		}
		if len(wave) == 0 {
			return nil
		}
		for _, u := range wave {
			delete(imports, u)
		}
		if err := abreast(len(wave), func(i int) error { return c.unit(wave[i]) }); err != nil {
			return err
		}
	}
	return nil
}
