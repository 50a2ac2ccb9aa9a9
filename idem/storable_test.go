package idem

import (
	"strings"
	"testing"
	"time"
)

type (
	page[T any] struct {
		Items []T
		Next  *string
	}
	jobPlan struct{ Steps []jobStep }
	jobStep struct{ Run func() }
)

func TestCheckResult_SaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check func(string)
		want  []string // nothing: it passes
	}{
		"number":  {check: CheckResult[int]},
		"time":    {check: CheckResult[time.Time]},
		"pointer": {check: CheckResult[*receipt]},
		"generic": {check: CheckResult[page[receipt]]},
		"void":    {check: CheckResult[Void]},
		"only a warning": {check: CheckResult[struct {
			A []int `json:",omitempty"`
		}]},
		"any":        {CheckResult[any], []string{"it is an interface", "use a concrete type"}},
		"error":      {CheckResult[error], []string{"it is an error"}},
		"function":   {CheckResult[func()], []string{"it is a function"}},
		"deep":       {CheckResult[*jobPlan], []string{"idem.jobPlan.Steps[].Run is a function", "a result of type *github.com/idemgen/idemgen/idem.jobPlan"}},
		"hidden":     {CheckResult[unseen], []string{"idem.unseen.x is unexported", "come back as its zero value", "export it"}},
		"in generic": {CheckResult[page[unseen]], []string{"idem.page[github.com/idemgen/idemgen/idem.unseen].Items[].x is unexported"}},
		"several":    {CheckResult[struct{ A, B any }], []string{"\n\tA is an interface", "\n\tB is an interface"}},
		"double":     {CheckResult[**int], []string{"it is a pointer to something that may be nil itself"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				got, _ := recover().(string)
				if (got != "") != (len(c.want) > 0) {
					t.Fatalf("got %q", got)
				}
				for _, want := range append(c.want, "operation shop.Get: ") {
					if got != "" && !strings.Contains(got, want) {
						t.Errorf("no %q in %q", want, got)
					}
				}
			}()
			c.check("shop.Get")
		})
	}
}
