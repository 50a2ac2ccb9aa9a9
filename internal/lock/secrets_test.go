package lock

import (
	"slices"
	"strings"
	"testing"
)

// TestSecretsAreWrittenAndReadAsTheyWere, sorted and once.
func TestSecretsAreWrittenAndReadAsTheyWere(t *testing.T) {
	t.Parallel()
	f := sample()
	f.Operation("pay.Payments.Charge").Secrets = []string{"node.Text", "node.\"odd name\"", "node.Text"}
	text := string(Format(f))
	again, wrong := Parse([]byte(text))
	if wrong != nil {
		t.Fatalf("%v in\n%s", wrong, text)
	}
	if got := again.Operation("pay.Payments.Charge").Secrets; !slices.Equal(got, []string{"node.\"odd name\"", "node.Text"}) {
		t.Errorf("they are %q in\n%s", got, text)
	}
	if strings.Count(text, "\tsecret ") != 2 || len(again.Operation("pay.Payments.Void").Secrets) > 0 {
		t.Errorf("written is\n%s", text)
	}
}
