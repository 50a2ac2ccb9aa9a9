package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/idemgen/idemgen/internal/starter"
)

// This file is the command that starts a user off.

const initAbout = `Init writes a first annotated interface with its test into the folder (default: the working directory), in a package that may have other
files, and the migration that makes the table. It looks for the migration tool in the module's files and go.mod; where there is none it
writes plain SQL. It never changes a file that is there, and writes all or nothing.`

func setupInit(f *flags) action {
	var (
		w          starter.Wish
		list, diff bool
	)
	f.text(&w.Dir, "C", "DIR", "change to DIR before anything else")
	f.text(&w.Migrations, "migrations", "TOOL", "write the migration for goose, golang-migrate, dbmate, tern, atlas or plain SQL; or none", starter.ToolNames()...)
	f.text(&w.MigrationsDir, "dir", "DIR", "write the migration into DIR")
	f.on(&w.NoExample, "noexample", "write the migration only")
	f.on(&list, "n", "write nothing; print the names of the files that would be written")
	f.on(&diff, "diff", "write nothing; print the files as a unified diff")
	return func(_ context.Context, args []string, stdout, _ io.Writer) error {
		if len(args) > 1 {
			return usageError{"init takes one folder, as in: idemgen init ./pay"}
		}
		if len(args) == 1 {
			w.Folder = args[0]
		}
		w.Now = time.Now()
		plan, err := starter.Make(w)
		if err != nil {
			return err
		}
		if diff {
			for _, f := range plan.Files {
				fmt.Fprint(stdout, unified(f.Path, nil, []byte(f.Text)))
			}
			return nil
		}
		if !list {
			if err := plan.Write(); err != nil {
				return err
			}
		}
		tell(plan, list, stdout)
		return nil
	}
}

// tell says what was done, and the next step.
func tell(p *starter.Plan, list bool, stdout io.Writer) {
	for _, n := range p.Notes {
		fmt.Fprintln(stdout, n)
	}
	for _, f := range p.Files {
		line := "wrote " + f.Path
		if list {
			line = "would write " + f.Path
		}
		if f.Use != "" {
			line += " (" + f.Use + ")"
		}
		fmt.Fprintln(stdout, line)
	}
	if p.Next != "" {
		fmt.Fprintln(stdout, "next: "+p.Next)
	}
}
