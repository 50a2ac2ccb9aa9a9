package pgtest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
)

// orphanFile tells the test binary to start a server and a standby, write their connection strings and folders there, and wait to be
// killed.
const orphanFile = "PGTEST_ORPHAN_FILE"

func TestMain(m *testing.M) {
	if file := os.Getenv(orphanFile); file != "" {
		orphan(file)
	}
	pgtest.Main(m)
}

func TestEachTestHasAnEmptyDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	for range 2 {
		pool := pgtest.Pool(t)
		if _, err := pool.Exec(t.Context(), "CREATE TABLE mine ()"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADatabaseHasTheSettingsAskedFor(t *testing.T) {
	t.Parallel()
	pool := pgtest.PoolOf(t, pgtest.Database(t, "default_transaction_isolation=serializable"))
	var got string
	if err := pool.QueryRow(t.Context(), "SHOW transaction_isolation").Scan(&got); err != nil || got != "serializable" {
		t.Fatalf("isolation is %q, %v", got, err)
	}
}

func TestAServerTakesItsFilesWithIt(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{Durable: true, Settings: map[string]string{"work_mem": "5MB"}})
	var fsync, dir, workMem string
	query(t, s.DSN(), "SELECT current_setting('fsync'), current_setting('data_directory'), current_setting('work_mem')", &fsync, &dir, &workMem)
	if fsync != "on" || workMem != "5MB" {
		t.Errorf("fsync is %s, work_mem is %s", fsync, workMem)
	}
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if gone(dir) != nil || answers(s.DSN()) {
		t.Error("it left something behind")
	}
}

func TestAServerAsksForItsPassword(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{})
	user, _, _ := strings.Cut(strings.TrimPrefix(s.DSN(), "postgres://"), ":")
	_, address, _ := strings.Cut(s.DSN(), "@")
	if answers("postgres://" + user + ":wrong@" + address) {
		t.Error("a wrong password was let in")
	}
}

func TestAKilledTestBinaryLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "orphan")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), orphanFile+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	eventually(t, "the servers start", func() bool {
		text, _ := os.ReadFile(file)
		lines = strings.Split(string(text), "\n")
		return len(lines) == 5 // after the last line end there is nothing
	})
	for _, i := range []int{0, 2} {
		if !answers(lines[i]) {
			t.Fatal("no server")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, i := range []int{0, 2} {
		eventually(t, "server and files go", func() bool { return gone(lines[i+1]) == nil && !answers(lines[i]) })
	}
}

func TestMissingProgramsAreNamed(t *testing.T) {
	t.Setenv("IDEMGEN_POSTGRES_BIN", t.TempDir())
	_, err := pgtest.Start(t.Context(), pgtest.Options{})
	if err == nil || !strings.Contains(err.Error(), "IDEMGEN_POSTGRES_BIN") {
		t.Errorf("got %v", err)
	}
}

// orphan starts a server, and a standby whose receiver can't end by itself.
func orphan(file string) {
	ctx := context.Background()
	s, err := pgtest.Start(ctx, pgtest.Options{})
	if err != nil {
		panic(err)
	}
	standby, err := s.Standby(ctx, pgtest.Options{})
	if err != nil {
		panic(err)
	}
	if err := standby.Hold(ctx); err != nil {
		panic(err)
	}
	text := ""
	for _, server := range []*pgtest.Server{s, standby.Server} {
		text += server.DSN() + "\n" + folder(ctx, server) + "\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}
	select {}
}

// folder is a server's data directory.
func folder(ctx context.Context, s *pgtest.Server) (dir string) {
	c, err := pgx.Connect(ctx, s.DSN())
	if err != nil {
		panic(err)
	}
	defer c.Close(ctx)
	if err := c.QueryRow(ctx, "SHOW data_directory").Scan(&dir); err != nil {
		panic(err)
	}
	return dir
}

func start(t *testing.T, o pgtest.Options) *pgtest.Server {
	t.Helper()
	s, err := pgtest.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func query(t *testing.T, dsn, sql string, into ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), sql).Scan(into...); err != nil {
		t.Fatal(err)
	}
}

func answers(dsn string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return false
	}
	return c.Close(ctx) == nil
}

// gone reports a folder of a data directory that is still there.
func gone(data string) error {
	if _, err := os.Stat(filepath.Dir(data)); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("still there")
	}
	return nil
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain until ", what)
		}
	}
}
