package starter

import (
	"strings"
	"testing"
)

// The files of tools, as short as they can be.
const (
	gooseFile  = "-- +goose Up\nSELECT 1;\n"
	dbmateFile = "-- migrate:up\nSELECT 1;\n-- migrate:down\n"
	ternFile   = "SELECT 1;\n---- create above / drop below ----\nSELECT 2;\n"
)

func TestMigrationFindsItsPlace(t *testing.T) {
	t.Parallel()
	type files map[string]string
	const stamp = "20260304050607"
	for name, c := range map[string]struct {
		files files
		flags string // of -migrations and -dir
		want  string // the files, with blanks between; else what the error says
		use   string
	}{
		"nothing known is plain SQL": {nil, "", "db/idem_claims.sql", "psql -1 -f db/idem_claims.sql applies it"},
		"none is asked for":          {nil, "none", "", ""},

		"goose by its files":      {files{"db/migrations/00001_users.sql": gooseFile}, "", "db/migrations/00002_idem_claims.sql", "goose up applies it"},
		"goose with CRLF":         {files{"sql/00009_users.sql": strings.ReplaceAll(gooseFile, "\n", "\r\n")}, "", "sql/00010_idem_claims.sql", ""},
		"goose by times":          {files{"m/20240101000000_users.sql": gooseFile}, "", "m/" + stamp + "_idem_claims.sql", ""},
		"goose in the future":     {files{"m/20990101000000_users.sql": gooseFile}, "", "m/20990101000001_idem_claims.sql", ""},
		"goose in Go":             {files{"m/00001_users.go": "package m\n\nfunc init() { goose.AddMigrationContext(up, down) }\n"}, "", "m/00002_idem_claims.sql", ""},
		"goose by its module":     {files{"go.mod": mod + "\nrequire github.com/pressly/goose/v3 v3.1.0\n"}, "", "migrations/" + stamp + "_idem_claims.sql", ""},
		"goose, in a usual place": {files{"go.mod": mod + "\nrequire github.com/pressly/goose/v3 v3.1.0\n", "sql/migrations/.keep": ""}, "", "sql/migrations/" + stamp + "_idem_claims.sql", ""},
		"goose by its setting":    {files{".env": "X=1\nexport GOOSE_MIGRATION_DIR=\"./sql/up\"\n", "other/1_a.sql": gooseFile}, "", "sql/up/" + stamp + "_idem_claims.sql", ""},

		"golang-migrate by its files":   {files{"m/000007_a.up.sql": "SELECT 1;", "m/000007_a.down.sql": ""}, "", "m/000008_idem_claims.down.sql m/000008_idem_claims.up.sql", "migrate up applies it"},
		"golang-migrate counts seconds": {files{"m/1700000000_a.up.sql": ""}, "", "m/1772600767_idem_claims.down.sql m/1772600767_idem_claims.up.sql", ""},
		"golang-migrate in atlas":       {files{"m/1_a.up.sql": "", "m/atlas.sum": "h1:"}, "", "m/2_idem_claims.down.sql m/2_idem_claims.up.sql", "atlas migrate hash, then migrate up applies it"},

		"dbmate by its files":   {files{"db/migrations/20240101000000_a.sql": dbmateFile, "db/schema.sql": "CREATE TABLE a ();"}, "", "db/migrations/" + stamp + "_idem_claims.sql", "dbmate up"},
		"dbmate by its setting": {files{".env": "DBMATE_MIGRATIONS_DIR=sql\n"}, "", "sql/" + stamp + "_idem_claims.sql", ""},
		"dbmate from nothing":   {nil, "dbmate", "db/migrations/" + stamp + "_idem_claims.sql", ""},

		"tern by its files":   {files{"m/001_a.sql": ternFile, "m/010_a.sql": ternFile, "tern.conf": ""}, "", "m/011_idem_claims.sql", "tern migrate"},
		"tern by its setting": {files{"db/tern.conf": "[database]\n"}, "", "db/001_idem_claims.sql", ""},
		"tern from nothing":   {nil, "tern", "migrations/001_idem_claims.sql", ""},

		"atlas by its sum":     {files{"m/20240101000000.sql": "SELECT 1;", "m/atlas.sum": "h1:"}, "", "m/" + stamp + "_idem_claims.sql", "atlas migrate hash, then atlas migrate apply"},
		"atlas by its setting": {files{"atlas.hcl": "env \"local\" {\n  migration {\n    dir = \"file://sql/up\"\n  }\n}\n"}, "", "sql/up/" + stamp + "_idem_claims.sql", ""},
		"atlas for goose":      {files{"atlas.hcl": "env \"local\" {\n  migration {\n    dir = \"file://up?format=goose\"\n  }\n}\n"}, "", "up/" + stamp + "_idem_claims.sql", "atlas migrate hash, then goose up"},

		"the folder decides":   {files{"a/1_a.sql": gooseFile, "b/1_b.sql": gooseFile}, "-dir b", "b/2_idem_claims.sql", ""},
		"the tool decides":     {files{"a/1_a.sql": gooseFile, "b/001_b.sql": ternFile}, "tern", "b/002_idem_claims.sql", ""},
		"both are said":        {files{"a/1_a.sql": gooseFile}, "plain -dir sql", "sql/idem_claims.sql", ""},
		"others' are left out": {files{"vendor/x/1_a.sql": gooseFile, "sub/go.mod": "module x\n", "sub/1_a.sql": gooseFile, ".x/1_a.sql": gooseFile, "testdata/1_a.sql": gooseFile}, "", "db/idem_claims.sql", ""},
		"the tables are there": {files{"m/1_a.sql": gooseFile + "create table if not exists public.idem_claims (\n", "x.sql": "CREATE TABLE idem_audit ("}, "", "", ""},

		"the first version is there": {files{"m/1_a.sql": gooseFile + "create table if not exists public.idem_claims (\n"}, "", "m/2_idem_audit.sql", "goose up applies it"},
		"the first version in plain": {files{"db/idem_claims.sql": "CREATE TABLE idem_claims ("}, "", "db/idem_audit.sql", "psql -1 -f db/idem_audit.sql applies it"},
		"the first in two files": {
			files{"m/000001_c.up.sql": "CREATE TABLE idem_claims (", "m/000001_c.down.sql": ""},
			"",
			"m/000002_idem_audit.down.sql m/000002_idem_audit.up.sql", "migrate up applies it",
		},

		"two tools":                   {files{"a/1_a.sql": gooseFile, "b/001_b.sql": ternFile}, "", "add -migrations goose -dir a, or -migrations tern -dir b", ""},
		"two folders":                 {files{"a/1_a.sql": gooseFile, "b/1_b.sql": gooseFile}, "goose", "add -migrations goose -dir a, or -migrations goose -dir b", ""},
		"two modules":                 {files{"go.mod": mod + "\nrequire (\n\tgithub.com/pressly/goose/v3 v3.1.0\n\tgithub.com/jackc/tern/v2 v2.1.0\n)\n"}, "", "-migrations tern -dir migrations", ""},
		"an unknown tool":             {nil, "flyway", "-migrations takes one of goose, golang-migrate,", ""},
		"an unknown form":             {files{"db/migrations/V1__users.sql": "", "migrations/001_a.sql": "SELECT 1;"}, "", "nothing in them tells which tool", ""},
		"a folder that tells nothing": {files{"x/a.sql": ""}, "-dir x", "say so with -migrations", ""},
		"a folder for none":           {nil, "none -dir x", "leave one of them out", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := files{"go.mod": mod}
			for path, text := range c.files {
				all[path] = text
			}
			w := Wish{Dir: tree(t, all), NoExample: true, Now: now}
			w.Migrations, w.MigrationsDir, _ = strings.Cut(c.flags, "-dir ")
			w.Migrations = strings.TrimSpace(w.Migrations)
			p, err := Make(w)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) || c.want == "" {
					t.Errorf("%v; want %q", err, c.want)
				}
				return
			}
			if got := strings.Join(paths(p), " "); got != c.want {
				t.Fatalf("files %q, want %q", got, c.want)
			}
			if len(p.Files) > 0 && !strings.Contains(p.Files[len(p.Files)-1].Use, c.use) {
				t.Errorf("it is applied by %q, want %q", p.Files[len(p.Files)-1].Use, c.use)
			}
		})
	}
}
