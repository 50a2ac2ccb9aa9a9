package pgtest

import (
	"context"
	"os"
	"syscall"
	"time"
)

// This file is about a server that goes down and comes back: with the same data, on the same port.

// Shutdown is a way for a server to go down.
type Shutdown int

const (
	// Fast breaks the connections, rolls their transactions back and writes everything to the disk: a planned restart.
	Fast Shutdown = iota
	// Immediate stops in the middle of everything, as in a crash; the next start recovers from the log.
	Immediate
)

func (how Shutdown) signal() os.Signal {
	if how == Immediate {
		return syscall.SIGQUIT
	}
	return syscall.SIGINT
}

// Restart is Down and Up.
func (s *Server) Restart(ctx context.Context, how Shutdown) error {
	if err := s.Down(how); err != nil {
		return err
	}
	return s.Up(ctx)
}

// Down ends the server and keeps its files. A fast shutdown that takes too long becomes an immediate one. Connecting to a
// server that is down is refused. Calls of Down, Up, Restart and Stop must not overlap.
func (s *Server) Down(how Shutdown) error {
	if s.process == nil {
		return nil
	}
	p := s.process
	s.process = nil
	return p.end(how.signal(), stopWithin)
}

// Up starts a server that is down, and returns when it answers again.
func (s *Server) Up(ctx context.Context) error {
	if s.process != nil {
		return nil
	}
	var err error
	for range portAttempts {
		if err = s.boot(ctx); err == nil {
			return nil
		}
		select { // the port may be taken for a moment, by a client's end of some connection
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}
