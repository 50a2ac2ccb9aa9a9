package starter

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/templates"
)

// This file finds the migration tool of a module, and plans the migration.

// home is a folder that a tool has its files in.
type home struct {
	tool string
	dir  string // absolute
}

// survey is what a walk over the module found.
type survey struct {
	homes  []home            // by the files that are there
	said   []home            // by settings that name a folder: they go before the files
	likely []home            // by settings that don't: they count where there are no files
	hashed map[string]bool   // folders with an atlas.sum, whatever the form of their files
	tables map[string]string // our tables that are made already, and by which file
}

// migration plans the migration, unless there is one.
func (p *Plan) migration(m *module, dir string, w Wish) error {
	if w.Migrations == "none" {
		if w.MigrationsDir != "" {
			return errors.New("-dir says where migrations go, and -migrations none that there are to be none; leave one of them out")
		}
		return nil
	}
	found, err := look(m)
	if err != nil {
		return err
	}
	missing := found.missing()
	if len(missing) == 0 {
		p.Notes = append(p.Notes, relative(dir, found.tables[firstTable])+" makes the table already, so no migration is written")
		return nil
	}
	at, err := found.choose(m, dir, w)
	if err != nil {
		return err
	}
	t, err := toolOf(at.tool)
	if err != nil {
		return err
	}
	there, err := names(at.dir)
	if err != nil {
		return err
	}
	for _, step := range missing {
		files := t.migration(step.Table, step.Up, step.Down, there, w.Now)
		for i, name := range slices.Sorted(maps.Keys(files)) {
			f := File{abs: filepath.Join(at.dir, name), Text: files[name]}
			if i == len(files)-1 {
				f.Use = use(t, found.hashed[at.dir], relative(dir, f.abs))
			}
			p.Files = append(p.Files, f)
			there = append(there, name)
		}
	}
	return nil
}

// missing is what no file makes: the whole schema where nothing is there, else the steps behind the version that is.
func (s *survey) missing() (steps []templates.Step) {
	if s.tables[firstTable] == "" {
		return []templates.Step{{Table: firstTable, Up: templates.Schema(), Down: templates.Drop()}}
	}
	for _, step := range templates.Steps() {
		if s.tables[step.Table] == "" {
			steps = append(steps, step)
		}
	}
	return steps
}

// use says how the migration is applied.
func use(t tool, hashed bool, path string) string {
	switch {
	case t.name == "plain":
		return t.apply + " " + path + " applies it; or call postgres.Migrate, which makes the same"
	case hashed && t.name != "atlas":
		return "atlas migrate hash, then " + t.apply + " applies it"
	default:
		return t.apply + " applies it"
	}
}

// names are the files of a folder, which need not be there.
func names(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list, nil
}

// choose picks the tool and the folder. What the flags say goes before what was found.
func (s *survey) choose(m *module, dir string, w Wish) (home, error) {
	asked := ""
	if w.MigrationsDir != "" {
		if asked = w.MigrationsDir; !filepath.IsAbs(asked) {
			asked = filepath.Join(dir, asked)
		}
	}
	if w.Migrations != "" {
		if _, err := toolOf(w.Migrations); err != nil {
			return home{}, err
		}
	}
	var fit []home
	for _, h := range s.homes {
		if (w.Migrations == "" || w.Migrations == h.tool) && (asked == "" || asked == h.dir) {
			fit = append(fit, h)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return home{}, ambiguous(dir, fit)
	case w.Migrations != "" && asked != "":
		return home{w.Migrations, asked}, nil
	case w.Migrations != "":
		return home{w.Migrations, filepath.Join(m.root, s.defaultDir(m, w.Migrations))}, nil
	case asked != "":
		return home{}, fmt.Errorf("nothing in %s tells which migration tool is used; say so with -migrations %s", w.MigrationsDir, strings.Join(ToolNames(), "|"))
	}
	return s.guess(m, dir)
}

// guess goes by the modules that are required, else it is plain SQL, unless there are migrations of a tool that it does not know.
func (s *survey) guess(m *module, dir string) (home, error) {
	var fit []home
	for _, t := range tools {
		if t.module != "" && slices.Contains(m.needs, t.module) {
			fit = append(fit, home{t.name, filepath.Join(m.root, s.defaultDir(m, t.name))})
		}
	}
	if len(fit) > 1 {
		return home{}, ambiguous(dir, fit)
	}
	if len(fit) == 1 {
		return fit[0], nil
	}
	for _, usual := range usualDirs {
		at := filepath.Join(m.root, usual)
		if list, _ := names(at); slices.ContainsFunc(list, versioned.MatchString) {
			return home{}, fmt.Errorf("%s has migrations, and nothing in them tells which tool applies them; say so with -migrations %s",
				relative(dir, at), strings.Join(ToolNames(), "|"))
		}
	}
	return home{"plain", filepath.Join(m.root, s.defaultDir(m, "plain"))}, nil
}

// usualDirs are where migrations mostly are.
var usualDirs = []string{"db/migrations", "migrations", "sql/migrations", "internal/db/migrations", "database/migrations"}

// defaultDir is where a tool without any files gets its first: a usual folder that is there, or its own default.
func (s *survey) defaultDir(m *module, name string) string {
	t, _ := toolOf(name)
	if name == "plain" {
		return t.dir
	}
	for _, dir := range append([]string{t.dir}, usualDirs...) {
		if info, err := os.Stat(filepath.Join(m.root, dir)); err == nil && info.IsDir() {
			return dir
		}
	}
	return t.dir
}

func ambiguous(dir string, fit []home) error {
	var list []string
	for _, h := range fit {
		list = append(list, fmt.Sprintf("-migrations %s -dir %s", h.tool, relative(dir, h.dir)))
	}
	return fmt.Errorf("it is not clear where the migration goes; add %s", strings.Join(list, ", or "))
}

// look walks over the module, and leaves out what is another's.
func look(m *module) (*survey, error) {
	s := &survey{hashed: map[string]bool{}, tables: map[string]string{}}
	err := filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == m.root:
			return err
		case err != nil: // a folder that can't be read has no migrations of ours
			return fs.SkipDir
		case !d.IsDir():
			return s.file(path, d)
		case path != m.root && foreign(path, d.Name()):
			return fs.SkipDir
		}
		return nil
	})
	s.settle()
	return s, err
}

// foreign folders are not looked into.
func foreign(path, name string) bool {
	switch name {
	case "vendor", "node_modules", "testdata":
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil || strings.HasPrefix(name, ".")
}

// maxMigration is how much of a file is looked at.
const maxMigration = 1 << 20

var (
	makesTable = regexp.MustCompile(`(?i)\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:"?\w+"?\.)?"?(idem_\w+)"?\s*\(`)
	atlasDir   = regexp.MustCompile(`\bdir\s*=\s*"file://([^"?]+)(?:\?format=([\w-]+))?"`)
	atlasForm  = regexp.MustCompile(`\bformat\s*=\s*"?([\w-]+)"?`)
	dirSetting = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?(GOOSE_MIGRATION_DIR|DBMATE_MIGRATIONS_DIR)[ \t]*=[ \t]*["']?([^"'\s#]+)`)
)

// file looks at one file.
func (s *survey) file(path string, d fs.DirEntry) error {
	name, dir := d.Name(), filepath.Dir(path)
	ext := filepath.Ext(name)
	setting := name == "atlas.hcl" || name == ".env" || name == "tern.conf" || name == atlasSum
	if !setting && ext != ".sql" && ext != ".go" || !d.Type().IsRegular() {
		return nil
	}
	if info, err := d.Info(); err != nil || info.Size() > maxMigration {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil // what can't be read tells nothing
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	s.setting(name, dir, text)
	if ext == ".sql" {
		for _, m := range makesTable.FindAllStringSubmatch(text, -1) {
			table := strings.ToLower(m[1])
			s.tables[table] = cmp.Or(s.tables[table], path)
		}
	}
	for _, t := range tools {
		if t.owns(name, text) {
			add(&s.homes, t.name, dir)
		}
	}
	return nil
}

// setting reads the files that say where migrations are.
func (s *survey) setting(name, dir, text string) {
	switch name {
	case atlasSum:
		s.hashed[dir] = true
	case "tern.conf":
		at := filepath.Join(dir, "migrations")
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			at = dir
		}
		add(&s.likely, "tern", at)
	case "atlas.hcl":
		if m := atlasDir.FindStringSubmatch(text); m != nil {
			at := filepath.Join(dir, filepath.FromSlash(m[1]))
			form := m[2]
			if f := atlasForm.FindStringSubmatch(text); form == "" && f != nil {
				form = f[1]
			}
			if _, err := toolOf(form); err != nil {
				form = "atlas"
			}
			s.hashed[at] = true
			add(&s.said, form, at)
		}
	case ".env":
		for _, m := range dirSetting.FindAllStringSubmatch(text, -1) {
			add(&s.said, map[string]string{"GOOSE_MIGRATION_DIR": "goose", "DBMATE_MIGRATIONS_DIR": "dbmate"}[m[1]], filepath.Join(dir, filepath.FromSlash(m[2])))
		}
	}
}

func add(list *[]home, tool, dir string) {
	if h := (home{tool, dir}); !slices.Contains(*list, h) {
		*list = append(*list, h)
	}
}

// settle makes one list of the three.
func (s *survey) settle() {
	of := func(list []home, tool string) bool {
		return slices.ContainsFunc(list, func(h home) bool { return h.tool == tool })
	}
	all := slices.Clone(s.homes)
	s.homes = slices.DeleteFunc(s.homes, func(h home) bool {
		if of(s.said, h.tool) && !slices.Contains(s.said, h) {
			return true
		}
		return h.tool == "atlas" && slices.ContainsFunc(all, func(other home) bool { // its sum is over files of another form
			return other.tool != "atlas" && other.dir == h.dir
		})
	})
	for _, h := range s.said {
		add(&s.homes, h.tool, h.dir)
	}
	for _, h := range s.likely {
		if !of(s.homes, h.tool) {
			add(&s.homes, h.tool, h.dir)
		}
	}
	slices.SortFunc(s.homes, func(a, b home) int { return strings.Compare(a.tool+"\x00"+a.dir, b.tool+"\x00"+b.dir) })
}
