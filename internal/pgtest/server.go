package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file starts and stops one server. Its files are in one temporary folder, which goes with it.

// Options configure a server. The zero value is a fast server that would lose data in a power failure.
type Options struct {
	// Durable keeps fsync and its relatives on: for measurements, the demo, and tests that kill the server.
	Durable bool
	// Settings are further server settings, as in postgresql.conf; they win over ours.
	Settings map[string]string
}

// Server is a running private Postgres.
type Server struct {
	dir      string // holds data, log and socket
	bin      string
	password string
	port     int
	settings map[string]string
	process  *process
	guard    *guard
}

const (
	portAttempts = 5                // a free port may be taken before the server binds it
	stopWithin   = 10 * time.Second // a fast shutdown takes tenths of a second
)

// Start makes a cluster and starts it, on a free port of the loopback interface. It returns when the server answers.
// Ctx bounds the start alone. Run as root, the server runs as user postgres, or nobody where there is none.
func Start(ctx context.Context, o Options) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	return start(ctx, &Server{bin: bin, password: rand.Text()}, o, (*Server).initdb)
}

// start gives s a folder, lets fill make the cluster in it, and starts it.
func start(ctx context.Context, s *Server, o Options, fill func(*Server, context.Context) error) (*Server, error) {
	var err error
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return nil, err
	}
	s.settings = settings(o, s.dir)
	if err := s.start(ctx, fill); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, fill func(*Server, context.Context) error) error {
	if err := giveAway(s.dir); err != nil {
		return err
	}
	var err error
	if s.guard, err = watch(s.dir); err != nil {
		return err
	}
	if err := fill(s, ctx); err != nil {
		return err
	}
	return s.bootOnFreePort(ctx)
}

func (s *Server) bootOnFreePort(ctx context.Context) error {
	var err error
	for range portAttempts {
		if s.port, err = freePort(); err != nil {
			return err
		}
		if err = s.boot(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

// DSN is the connection string of database postgres, as a superuser.
func (s *Server) DSN() string { return s.dsn("127.0.0.1:"+strconv.Itoa(s.port), nil) }

func (s *Server) dsn(host string, query url.Values) string {
	if query == nil {
		query = url.Values{"sslmode": {"disable"}}
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", s.password), Host: host, Path: "/postgres", RawQuery: query.Encode()}
	return u.String()
}

// Stop ends the server, breaking its connections, and removes its files. It may be called again.
func (s *Server) Stop() error {
	var err error
	if s.process != nil {
		err = s.process.end(syscall.SIGINT, stopWithin)
	}
	if s.guard != nil {
		s.guard.release()
	}
	s.process, s.guard = nil, nil
	return errors.Join(err, os.RemoveAll(s.dir))
}

// initdb makes the cluster. It asks for a password, because the server may run as a user to whom others on this machine
// should not speak.
func (s *Server) initdb(ctx context.Context) error {
	pw := filepath.Join(s.dir, "password")
	if err := os.WriteFile(pw, []byte(s.password), 0o600); err != nil {
		return err
	}
	if err := giveAway(pw); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "postgres", "--pwfile", pw,
		"--auth", "password", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	s.prepare(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return os.Remove(pw)
}

// boot starts the server and waits until it answers.
func (s *Server) boot(ctx context.Context) error {
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.port)}
	for name, value := range s.settings {
		args = append(args, "-c", name+"="+value)
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.prepare(cmd)
	cmd.Stderr = log
	p, err := run(cmd)
	if err != nil {
		return err
	}
	s.process = p
	for {
		if err = s.answers(ctx); err == nil {
			return nil
		}
		select {
		case <-p.done:
			s.process = nil
			said, _ := os.ReadFile(log.Name())
			return fmt.Errorf("postgres ended while starting: %w\n%s", p.err, said)
		case <-ctx.Done():
			return fmt.Errorf("postgres did not answer: %w (%w)", ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// answers connects by the socket in our own folder, where no other server can be.
func (s *Server) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, s.dsn("", url.Values{"host": {s.dir}, "port": {strconv.Itoa(s.port)}}))
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// prepare gives a command the surroundings of a server: its user and folder, and nothing of our environment that could
// change it.
func (s *Server) prepare(cmd *exec.Cmd) {
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	detach(cmd)
}

func settings(o Options, dir string) map[string]string {
	set := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"unix_socket_directories": dir,
		"max_connections":         "300",
	}
	if !o.Durable {
		set["fsync"] = "off"
		set["full_page_writes"] = "off"
		set["synchronous_commit"] = "off"
		set["autovacuum"] = "off" // its WAL would count in measurements, and tests are short
	}
	for name, value := range o.Settings {
		set[name] = value
	}
	return set
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
