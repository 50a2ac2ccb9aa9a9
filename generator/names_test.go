package generator

import (
	"fmt"
	"go/types"
	"strings"
	"testing"
)

func TestImportNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		packages string // path, or path=name
		avoid    string
		want     string // name or name=path where it is an alias
	}{
		{"the last element needs no alias", "context time net/http", "", "context net/http time"},
		{"another name does", "a.com/go-yaml=yaml a.com/x.go=x", "", "yaml=a.com/go-yaml x=a.com/x.go"},
		{"a major version is no name", "a.com/codec/v2=codec gopkg.in/yaml.v3=yaml", "", "codec=a.com/codec/v2 yaml=gopkg.in/yaml.v3"},
		{"major versions tell clashes apart", "a.com/codec/v2=codec a.com/codec.v3=codec", "", "codecv3=a.com/codec.v3 codecv2=a.com/codec/v2"},
		{"so do elements of the path", "a.com/billing/model a.com/store/model", "", "billingmodel=a.com/billing/model storemodel=a.com/store/model"},
		{"as many as it takes", "a.com/eu/x/model a.com/us/x/model", "", "euxmodel=a.com/eu/x/model usxmodel=a.com/us/x/model"},
		{"a version can be the name", "a.com/p/v1 a.com/q/v1", "", "pv1=a.com/p/v1 qv1=a.com/q/v1"},
		{"the standard library keeps its name", "a.com/http net/http", "", "acomhttp=a.com/http net/http"},
		{"unless it has two", "crypto/rand math/rand/v2=rand", "", "cryptorand=crypto/rand randv2=math/rand/v2"},
		{"the runtime keeps its name", "github.com/idemgen/idemgen/idem a.com/x/idem", "", "xidem=a.com/x/idem github.com/idemgen/idemgen/idem"},
		{"predeclared names are no names", "a.com/x/error a.com/y/len", "", "xerror=a.com/x/error ylen=a.com/y/len"},
		{"nor are declared ones", "context a.com/x/model", "context model", "xmodel=a.com/x/model stdcontext=context"},
		{"a joined name may be taken as well", "a.com/x/model", "model xmodel", "acomxmodel=a.com/x/model"},
		{"numbers are the last resort", "model.com=model", "model stdmodel", "pkgmodel=model.com"},
		{"digits and dashes are left out", "a.com/12-x/model a.com/y/model", "", "xmodel=a.com/12-x/model ymodel=a.com/y/model"},
		{"the module's own packages are not standard", "home/http net/http", "", "homehttp=home/http net/http"},
	} {
		packages := map[string]*types.Package{}
		for _, p := range strings.Fields(c.packages) {
			path, name, ok := strings.Cut(p, "=")
			if !ok {
				name = path[strings.LastIndex(path, "/")+1:]
			}
			packages[path] = types.NewPackage(path, name)
		}
		var got []string
		for _, i := range nameImports(packages, "home/here", reserved.with(listed(strings.Fields(c.avoid)...))) {
			if i.Alias {
				got = append(got, fmt.Sprintf("%s=%s", i.Name, i.Path))
			} else {
				got = append(got, i.Path)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}

func TestPickTakesWhatIsFree(t *testing.T) {
	t.Parallel()
	n := names{"a": true}
	for _, want := range []string{"b", "c", "c2", "c3"} {
		if got := n.pick("a", "b", "c"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Store": "store", "store": "store", "HTTPServer": "httpServer", "ID": "id", "X": "x", "IDs": "iDs",
		"Überweisung": "überweisung", "世界": "世界", "GETSeite": "getSeite", "A1B": "a1B",
	} {
		if got := lowerInitial(name); got != want {
			t.Errorf("lowerInitial(%s) = %s, want %s", name, got, want)
		}
	}
	if got := upperInitial("öffnen"); got != "Öffnen" {
		t.Errorf("upperInitial gives %s", got)
	}
}

func TestDeprecationStaysAParagraph(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ doc, text, deprecation string }{
		{"A.", "A.", ""},
		{"Deprecated: b.", "", "Deprecated: b."},
		{"A.||Deprecated: b|and c.||D.", "A.||D.", "Deprecated: b|and c."},
		{"A.|Deprecated: is a word here.", "A.|Deprecated: is a word here.", ""},
		{"||A.||", "A.", ""},
		{"||\t\tA block.||\t\t\tcode||\t\tDeprecated: b.", "A block.||\tcode", "Deprecated: b."},
	} {
		text, deprecation := splitDeprecation(strings.Split(c.doc, "|"))
		if got, dep := strings.Join(text, "|"), strings.Join(deprecation, "|"); got != c.text || dep != c.deprecation {
			t.Errorf("%q is split into %q and %q", c.doc, got, dep)
		}
	}
}
