// Command demo shows what idemgen is for. It runs a payment service on two processes and a private Postgres, lets 200
// impatient clients loose on 40 payments, and counts what the card network has booked: once with check-then-act
// written by hand, once with the generated wrapper, and once with the wrapper while a server is killed in the middle
// of a charge.
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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	start := time.Now()
	err := run(ctx, *programs)
	if ctx.Err() != nil {
		err = errors.New("interrupted; everything was stopped and removed")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	fmt.Printf("\n%.0f seconds in all; everything was stopped and removed.\n", time.Since(start).Seconds())
}

func run(ctx context.Context, programs string) (err error) {
	dir, err := os.MkdirTemp("", "idemgen-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("Starting a private Postgres ...")
	db, err := pgtest.Start(ctx, pgtest.Options{Durable: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Stop()) }()
	s := stage{programs: programs, dir: dir, database: db.DSN() + "&pool_max_conns=16"}
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

// migrate makes the tables.
func (s stage) migrate(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs, "payments"), "-migrate")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+s.database)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("creating the tables: %w\n%s", err, out)
	}
	return nil
}
