// Package payments is a small HTTP payment service whose Charge and Refund run at most once per idempotency key.
//
//	curl -H 'Idempotency-Key: order-1' -d '{"order":"1","card":"4242","amount":1000,"currency":"EUR"}' \
//		http://127.0.0.1:8080/merchants/acme/charges
//
// Start reading at service.go, the annotated interface. The server in the folder server keeps its claims in Postgres, the one in
// lab/sqlite/payments in a SQLite file. The demo runs two of them and a retry storm.
package payments

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the process around the service: its options, what it is made of, and how it ends.

// Database is where a server keeps what it must remember.
type Database struct {
	Store   idem.Store                  // the claims, for the wrapper
	Seen    Memory                      // for check-then-act by hand
	Migrate func(context.Context) error // creates or upgrades the tables of both
	Close   func()
}

type options struct {
	listen, network, name string
	migrate, byHand       bool
}

// Main is a server's main function. Open opens the database that DATABASE_URL names.
func Main(open func(ctx context.Context, url string) (Database, error)) {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to serve on; port 0 takes a free one")
	flag.StringVar(&o.network, "network", "http://127.0.0.1:9000", "base URL of the card network")
	flag.StringVar(&o.name, "name", "payments", "name of this process, for logs and books")
	flag.BoolVar(&o.migrate, "migrate", false, "create or upgrade the tables, and end")
	flag.BoolVar(&o.byHand, "by-hand", false, "use check-then-act instead of the generated wrapper")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})))
	db, err := open(ctx, os.Getenv("DATABASE_URL"))
	if err == nil {
		err = run(ctx, o, db)
		db.Close()
	}
	if err != nil {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, db Database) error {
	if o.migrate { // a step of deployment: once, before the processes start
		return db.Migrate(ctx)
	}
	engine, err := idem.New(db.Store,
		idem.WithObserver(idem.NewSlogObserver(slog.Default())),
		idem.WithOrigin(o.name))
	if err != nil {
		return err
	}

	var payments Payments = &cards{network: o.network, name: o.name, client: &http.Client{Timeout: 10 * time.Second}}
	if o.byHand {
		payments = byHand{payments, db.Seen}
	} else {
		payments = NewIdempotentPayments(payments, engine)
	}
	err = serve(ctx, o.listen, newHandler(payments))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return errors.Join(err, engine.Shutdown(ctx)) // outcomes that are still being stored get their time
}

// serve answers requests until ctx ends, and then lets those that run finish.
func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
