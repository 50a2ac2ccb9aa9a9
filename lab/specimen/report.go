package specimen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file sets what was said of types against what became of their values.

// Report is one type at run time.
type Report struct {
	Name     string
	Problems []Problem
	Reality  Reality
}

// Problem is a shape.Problem as far as both sides can say the same of it.
type Problem struct {
	Rule, Path string
	Warning    bool
}

// problems leaves out the beginning of a path that ends in type arguments: reflection prints those with their import paths.
func problems(list []shape.Problem) (out []Problem) {
	for _, p := range list {
		path := p.Path
		if i := strings.LastIndex(path, "]."); i >= 0 {
			path = path[i:]
		}
		out = append(out, Problem{p.Rule, path, p.Warning})
	}
	return out
}

// Report tries the type's values; see Try.
func (s Specimen) Report(seed uint64) Report {
	return Report{s.Type.String(), problems(shape.Storable(shape.Of(s.Type))), s.Try(seed)}
}

// open are the warnings that leave it to a type's methods what comes back.
var open = []string{"UnmarshalJSON or UnmarshalText alone", "string as map key with UnmarshalText"}

// contradiction says how a verdict and reality disagree; empty: they agree.
func contradiction(list []Problem, r Reality) string {
	v := verdictOf(list)
	isOpen := slices.ContainsFunc(list, func(p Problem) bool { return slices.Contains(open, p.Rule) })
	switch {
	case v == warned && isOpen:
		return ""
	case v == accepted && len(r.Lost) > 0:
		return "accepted, and lost: " + r.Lost[0]
	case v == accepted && len(r.Changed) > 0:
		return "accepted without a warning, and changed: " + r.Changed[0]
	case v == warned && len(r.Lost) > 0:
		return "only warned of, and lost: " + r.Lost[0]
	case v == warned && len(r.Changed) == 0:
		return "warned of, and no value changes"
	case v == refused && len(r.Lost) == 0:
		return "refused, and no value is lost"
	case v == accepted && r.Kept == 0:
		return "accepted, and no value was stored"
	}
	return ""
}

type verdict string

const (
	accepted verdict = "accepted"
	warned   verdict = "warned of"
	refused  verdict = "refused"
)

func verdictOf(list []Problem) verdict {
	v := accepted
	for _, p := range list {
		if !p.Warning {
			return refused
		}
		v = warned
	}
	return v
}

// Tally counts types, and what is wrong with them.
type Tally struct {
	types, agree, kept, lost, changed, refused int
	verdicts                                   map[verdict]int
	rules                                      map[string]int
}

// NewTally has counted nothing.
func NewTally() *Tally { return &Tally{verdicts: map[verdict]int{}, rules: map[string]int{}} }

// Compare counts a type and says what does not fit: the generator's problems, the runtime's, and what became of values.
func (c *Tally) Compare(name string, static []shape.Problem, r Report) (faults []string) {
	c.types++
	c.verdicts[verdictOf(r.Problems)]++
	for _, p := range r.Problems {
		c.rules[p.Rule]++
	}
	c.kept, c.lost, c.changed = c.kept+r.Reality.Kept, c.lost+len(r.Reality.Lost), c.changed+len(r.Reality.Changed)
	c.refused += r.Reality.Refused
	if said := problems(static); !slices.Equal(said, r.Problems) {
		faults = append(faults, fmt.Sprintf("%s: the generator and the runtime disagree:\n%v\n%v", name, said, r.Problems))
	}
	if wrong := contradiction(r.Problems, r.Reality); wrong != "" {
		faults = append(faults, fmt.Sprintf("%s: %s\n%v", name, wrong, r.Problems))
	}
	if len(faults) == 0 {
		c.agree++
	}
	return faults
}

// String is a table: types and values, and how often each rule spoke.
func (c *Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d types, verdict and reality agree on %d: %d accepted, %d warned of, %d refused\n",
		c.types, c.agree, c.verdicts[accepted], c.verdicts[warned], c.verdicts[refused])
	fmt.Fprintf(&b, "%d values: %d came back, %d in another form, %d lost, %d not stored for what they hold\n",
		c.kept+c.changed+c.lost+c.refused, c.kept, c.changed, c.lost, c.refused)
	for _, r := range shape.Rules() {
		fmt.Fprintf(&b, "%6d  %s\n", c.rules[r.Name], r.Name)
	}
	return b.String()
}
