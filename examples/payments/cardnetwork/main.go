// Command cardnetwork is a card network for the payments example: it books what it is asked to, takes its time to
// answer, and keeps a file of its own in which every booking is a line. The demo counts charges in that file.
//
// With -dedup it recognises the idempotency key that a booking comes with, as the real ones do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	path := flag.String("file", "bookings.jsonl", "file to write bookings to")
	listen := flag.String("listen", "127.0.0.1:9000", "address to serve on; port 0 takes a free one")
	dedup := flag.Bool("dedup", false, "book once for each idempotency key")
	fastest := flag.Duration("fastest", 400*time.Millisecond, "how long an answer takes at least")
	slowest := flag.Duration("slowest", 900*time.Millisecond, "how long an answer takes at most")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *path, *listen, &network{dedup: *dedup, fastest: *fastest, slowest: *slowest}); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path, address string, n *network) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	n.books = newBooks(file)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: n.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
