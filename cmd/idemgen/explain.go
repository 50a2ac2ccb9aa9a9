package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator"
)

// This file prints what a diagnostic means, for terminals. The page docs/diagnostics.md says the same; page_test.go makes it.

// lineWidth is where text is wrapped.
const lineWidth = 80

// explain prints what a code means, or all codes where none is asked for.
func explain(args []string, stdout io.Writer) error {
	switch len(args) {
	case 0:
		for _, c := range generator.Codes() {
			fmt.Fprintf(stdout, "%s  %s\n", c.ID, c.Title)
		}
		return nil
	case 1:
		id := codeOf(args[0])
		c, ok := generator.Explain(id)
		if !ok {
			return usageError{fmt.Sprintf("there is no diagnostic %s%s; idemgen explain lists all", args[0], suggestion(id))}
		}
		fmt.Fprint(stdout, explanation(c))
		return nil
	default:
		return usageError{"explain takes one code, as in: idemgen explain IDEM015"}
	}
}

// codeOf is the code that was meant by 15, idem15, idem-015 or [IDEM015].
func codeOf(arg string) string {
	digits := strings.TrimPrefix(strings.ToUpper(strings.Trim(arg, "[]`:., ")), "IDEM")
	n, err := strconv.ParseUint(strings.TrimLeft(digits, "-_ "), 10, 32)
	if err != nil {
		return arg
	}
	return fmt.Sprintf("IDEM%03d", n)
}

// suggestion names the codes that are about the same as a code that does not exist would be.
func suggestion(id string) string {
	var near []string
	for _, c := range generator.Codes() {
		if len(id) == len(c.ID) && strings.HasPrefix(c.ID, id[:len(id)-1]) {
			near = append(near, c.ID)
		}
	}
	if len(near) == 0 {
		return ""
	}
	return ", but " + strings.Join(near, ", ")
}

// explanation is the whole text on a code.
func explanation(c generator.Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s", c.ID, c.Title, wrap(c.Cause, ""))
	e, ok := c.Example()
	if ok {
		b.WriteString("\nFor example:\n")
		for _, f := range exampleFiles(e) {
			b.WriteString("\n" + indent(f.head()+f.Text))
		}
		if e.Command != usualCommand {
			fmt.Fprintf(&b, "\n    $ %s\n", strings.ReplaceAll(e.Command, "\n", "\n    $ "))
		}
		for line := range strings.Lines(e.Says) {
			b.WriteString("\n" + wrap(strings.TrimSpace(line), "    "))
		}
	}
	fmt.Fprintf(&b, "\n%s", wrap("To mend it: "+c.Mend, ""))
	if ok {
		b.WriteString("\n" + indent(mending(e)))
	}
	return b.String()
}

// usualCommand is not worth a line.
const usualCommand = "idemgen ./..."

// shownFile is a file of an example with what is to be said above it.
type shownFile struct {
	generator.ExampleFile
	alone bool
}

// head names the file where there are several.
func (f shownFile) head() string {
	if f.alone {
		return ""
	}
	return f.Path + ":\n"
}

// exampleFiles are the files of the input with the mistake that are worth showing.
func exampleFiles(e generator.Example) (files []shownFile) {
	for _, f := range e.Wrong {
		if strings.HasSuffix(f.Path, "go.mod") || strings.HasSuffix(f.Path, "go.sum") {
			continue
		}
		files = append(files, shownFile{ExampleFile: f})
	}
	if len(files) == 1 {
		files[0].alone = true
	}
	return files
}

// mending is what to change in the example, as a unified diff without its head where only one file is there.
func mending(e generator.Example) string {
	var b strings.Builder
	text := func(files []generator.ExampleFile, path string) []byte {
		for _, f := range files {
			if f.Path == path {
				return []byte(f.Text)
			}
		}
		return nil
	}
	var paths []string
	for _, f := range slices.Concat(e.Wrong, e.Mended) {
		if !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	shown := exampleFiles(e)
	for _, path := range paths {
		old, mended := text(e.Wrong, path), text(e.Mended, path)
		switch {
		case mended == nil:
			fmt.Fprintf(&b, "- %s is deleted\n", path)
		case string(old) != string(mended):
			diff := unified(path, old, mended)
			if len(paths) == 1 || len(shown) == 1 && shown[0].alone && old != nil {
				_, diff, _ = strings.Cut(diff, "@@\n")
			}
			b.WriteString(diff)
		}
	}
	return b.String()
}

// indent sets code apart.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// wrap breaks text into lines, each with the prefix in front.
func wrap(text, prefix string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(prefix)
			column = len(prefix)
		case column+1+len(word) > lineWidth:
			b.WriteString("\n" + prefix)
			column = len(prefix)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
