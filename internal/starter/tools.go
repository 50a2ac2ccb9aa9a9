package starter

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file knows the migration tools: what their files look like, what they are called, and how they are applied.

// tool is one.
type tool struct {
	name string
	// module is its Go module, which tells who uses it where no file does.
	module string
	// dir is where its files go when there are none yet.
	dir string
	// first is the version of the first migration; empty: the time.
	first string
	// apply is what to type to apply the migration.
	apply string
	// files are the ones of a migration, by the ends of their names, from what makes the table and what takes it away.
	files func(up, down string) map[string]string
	// owns tells its files from others' by name and text.
	owns func(name, text string) bool
}

var (
	upFile     = regexp.MustCompile(`^\d+_.*\.up\.sql$`)
	gooseUp    = regexp.MustCompile(`(?m)^-- \+goose Up\b`)
	dbmateUp   = regexp.MustCompile(`(?m)^--[ \t]*migrate:up\b`)
	ternMiddle = regexp.MustCompile(`(?m)^---- create above / drop below ----`)
)

const atlasSum = "atlas.sum"

// tools are the known ones. Plain SQL, for people who have none of them, is the last.
var tools = []tool{
	{
		name: "goose", module: "github.com/pressly/goose/v3", dir: "migrations", apply: "goose up",
		files: func(up, down string) map[string]string {
			return map[string]string{".sql": "-- +goose Up\n" + up + "\n-- +goose Down\n" + down}
		},
		owns: func(name, text string) bool {
			return strings.HasSuffix(name, ".sql") && gooseUp.MatchString(text) ||
				strings.HasSuffix(name, ".go") && strings.Contains(text, "goose.AddMigration")
		},
	},
	{
		name: "golang-migrate", module: "github.com/golang-migrate/migrate/v4", dir: "migrations", apply: "migrate up",
		files: func(up, down string) map[string]string { return map[string]string{".up.sql": up, ".down.sql": down} },
		owns:  func(name, _ string) bool { return upFile.MatchString(name) },
	},
	{
		name: "dbmate", module: "github.com/amacneil/dbmate/v2", dir: "db/migrations", apply: "dbmate up",
		files: func(up, down string) map[string]string {
			return map[string]string{".sql": "-- migrate:up\n" + up + "\n-- migrate:down\n" + down}
		},
		owns: func(name, text string) bool { return strings.HasSuffix(name, ".sql") && dbmateUp.MatchString(text) },
	},
	{
		name: "tern", module: "github.com/jackc/tern/v2", dir: "migrations", first: "001", apply: "tern migrate",
		files: func(up, down string) map[string]string {
			return map[string]string{".sql": up + "\n---- create above / drop below ----\n\n" + down}
		},
		owns: func(name, text string) bool { return strings.HasSuffix(name, ".sql") && ternMiddle.MatchString(text) },
	},
	{
		name: "atlas", module: "ariga.io/atlas", dir: "migrations", apply: "atlas migrate hash, then atlas migrate apply",
		files: func(up, _ string) map[string]string { return map[string]string{".sql": up} },
		owns:  func(name, _ string) bool { return name == atlasSum },
	},
	{
		name: "plain", dir: "db", apply: "psql -1 -f",
		files: func(up, _ string) map[string]string { return map[string]string{".sql": up} },
		owns:  func(string, string) bool { return false },
	},
}

// ToolNames are what -migrations takes.
func ToolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return append(names, "none")
}

func toolOf(name string) (tool, error) {
	for _, t := range tools {
		if t.name == name {
			return t, nil
		}
	}
	return tool{}, fmt.Errorf("%s is none of the migration tools; -migrations takes one of %s", name, strings.Join(ToolNames(), ", "))
}

// firstTable is the one that the first version of the schema makes. A migration is called after its table, behind its version.
const firstTable = "idem_claims"

// migration is the files that make a table, by their names. Those of the folder say how versions are counted there.
func (t tool) migration(table, up, down string, there []string, now time.Time) map[string]string {
	files := map[string]string{}
	for end, text := range t.files(up, down) {
		name := table + end
		if t.name != "plain" {
			name = t.nextVersion(there, now) + "_" + name
		}
		files[name] = text
	}
	return files
}

var versioned = regexp.MustCompile(`^(\d+)[_.-]`)

// The lengths that tell times from counts.
const (
	timeDigits = len("20060102150405")
	unixDigits = len("1700000000")
)

// nextVersion goes on counting as the files that are there do: by the time, in seconds, or one by one.
func (t tool) nextVersion(there []string, now time.Time) string {
	var last uint64
	width := 0
	for _, name := range there {
		m := versioned.FindStringSubmatch(path.Base(name))
		if m == nil {
			continue
		}
		n, err := strconv.ParseUint(m[1], 10, 63)
		if err != nil {
			continue
		}
		last, width = max(last, n), max(width, len(m[1]))
	}
	stamp, _ := strconv.ParseUint(now.UTC().Format("20060102150405"), 10, 64)
	switch {
	case width == 0 && t.first != "":
		return t.first
	case width == 0:
		return strconv.FormatUint(stamp, 10)
	case width >= timeDigits:
		return strconv.FormatUint(max(stamp, last+1), 10)
	case width >= unixDigits:
		return strconv.FormatUint(max(uint64(now.Unix()), last+1), 10)
	default:
		return fmt.Sprintf("%0*d", width, last+1)
	}
}
