// Command payments is a small HTTP payment service whose Charge and Refund run at most once per idempotency key.
//
//	DATABASE_URL=postgres://… payments -network http://127.0.0.1:9000
//
//	curl -H 'Idempotency-Key: order-1' -d '{"order":"1","card":"4242","amount":1000,"currency":"EUR"}' \
//		http://127.0.0.1:8080/merchants/acme/charges
//
// Start reading at service.go, the annotated interface. The demo beside it runs two of these and a retry storm.
package main

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
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
)

type options struct {
	listen, network, name string
	migrate, byHand       bool
}

func main() {
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
	if err := run(ctx, o); err != nil {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer pool.Close()
	if o.migrate {
		return migrate(ctx, pool)
	}
	engine, err := idem.New(postgres.NewStore(pool),
		idem.WithObserver(idem.NewSlogObserver(slog.Default())),
		idem.WithOrigin(o.name))
	if err != nil {
		return err
	}

	var payments Payments = &cards{network: o.network, name: o.name, client: &http.Client{Timeout: 10 * time.Second}}
	if o.byHand {
		payments = byHand{payments, pool}
	} else {
		payments = NewIdempotentPayments(payments, engine)
	}
	err = serve(ctx, o.listen, newHandler(payments))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return errors.Join(err, engine.Shutdown(ctx)) // outcomes that are still being stored get their time
}

// migrate is a step of deployment: once, before the processes start.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := postgres.Migrate(ctx, pool); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, createSeen)
	return err
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
