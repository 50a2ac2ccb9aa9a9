// Command demo shows what idemgen is for. It runs a payment service on two processes and a private Postgres (or a SQLite
// file, with -sqlite), lets 200 impatient clients loose on 40 payments, and counts what the card network has booked: once
// with check-then-act written by hand, once with the generated wrapper, and once with the wrapper while a server is
// killed in the middle of a charge.
//
// It ends with an error when the wrapper lets a payment happen twice, and also when the hand-written version does
// not: then the storm was too weak to show anything. All it starts is stopped and all it writes is removed, on Ctrl-C
// too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/internal/pgtest"
)

func main() {
	programs := flag.String("programs", ".", "folder of the programs payments and cardnetwork")
	onSQLite := flag.Bool("sqlite", false, "payments keeps its claims in a SQLite file, and not in Postgres")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	start := time.Now()
	err := run(ctx, *programs, *onSQLite)
	if ctx.Err() != nil {
		err = errors.New("interrupted; everything was stopped and removed")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	fmt.Printf("\n%.0f seconds in all; everything was stopped and removed.\n", time.Since(start).Seconds())
}

func run(ctx context.Context, programs string, onSQLite bool) (err error) {
	dir, err := os.MkdirTemp("", "idemgen-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	database, stop, err := startDatabase(ctx, dir, onSQLite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	s := stage{programs: programs, dir: dir, database: database}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	fmt.Printf("%d clients want %d payments, %d clients each. The card network takes %s to %s to answer;\n"+
		"many clients hang up earlier and ask again, of either server.\n\n", clients, keys, clients/keys, fastest, slowest)
	var results []result
	for i, r := range rounds {
		fmt.Printf("%d. %s ... ", i+1, r.title)
		began := time.Now()
		res, err := s.play(ctx, r)
		if err != nil {
			fmt.Println("failed")
			return err
		}
		fmt.Printf("%.1f s\n", time.Since(began).Seconds())
		results = append(results, res)
	}
	printTable(os.Stdout, results)
	return verdict(results)
}

// startDatabase starts what the servers keep their claims in, and returns how to connect to it and how to stop it.
func startDatabase(ctx context.Context, dir string, onSQLite bool) (url string, stop func() error, err error) {
	if onSQLite {
		fmt.Println("The claims are kept in a SQLite file.")
		return "file:" + filepath.Join(dir, "claims.db"), func() error { return nil }, nil
	}
	fmt.Println("Starting a private Postgres ...")
	db, err := pgtest.Start(ctx, pgtest.Options{Durable: true})
	if err != nil {
		return "", nil, err
	}
	return db.DSN() + "&pool_max_conns=16", db.Stop, nil
}

// migrate makes the tables.
func (s stage) migrate(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs, "payments"), "-migrate")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+s.database)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("creating the tables: %w\n%s", err, out)
	}
	return nil
}
