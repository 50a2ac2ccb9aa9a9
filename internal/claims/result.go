package claims

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/internal/lock"
)

// This file makes what a person found out the result that callers get. It has to be one that their programs read: idem.lock says what they
// store, and what does not look so is refused.

// ResultWish is the result that somebody found.
type ResultWish struct {
	File  string // "-" is the standard input; empty: there is none
	None  bool   // it happened, and nobody knows the result
	Codec string // empty: as idem.lock says
	Shape string
	TTL   string // empty: as idem.lock says, or 24h
	Dir   string // of the module that has the idem.lock
}

// read is the result for a claim, and how long it is kept.
func (w ResultWish) read(c idem.ListedClaim, stdin io.Reader) (r idem.StoredResult, keep time.Duration, err error) {
	file, err := readLock(w.Dir)
	if err != nil {
		return r, 0, err
	}
	op := operation(file, c.Ref.Operation)
	if keep, err = w.keep(op); err != nil {
		return r, 0, err
	}
	codec := w.Codec
	switch {
	case w.None:
		if w.File != "" || w.Codec != "" || w.Shape != "" {
			return r, 0, usage("-noresult says that there is no result; leave -result, -codec and -shape out")
		}
		return idem.StoredResult{Codec: "none"}, keep, nil
	case codec == "" && op == nil:
		return r, 0, fmt.Errorf("it is not known how %s stores its results: no idem.lock here has it; add -C with a folder of its module, or -codec and -shape as an outcome has them that is stored (claims show)", visible(c.Ref.Operation))
	case codec == "":
		codec = op.Codec
	}
	if codec == "void" {
		if w.File != "" {
			return r, 0, usage("%s has no result; leave -result out", visible(c.Ref.Operation))
		}
		return idem.StoredResult{Codec: "void"}, keep, nil
	}
	if w.File == "" {
		return r, 0, usage("which result do callers get? Give -result FILE with it in codec %s, or -noresult if nobody knows it", visible(codec))
	}
	return w.stored(codec, op, keep, stdin)
}

// stored is the file's result in a codec.
func (w ResultWish) stored(codec string, op *lock.Operation, keep time.Duration, stdin io.Reader) (r idem.StoredResult, _ time.Duration, err error) {
	r.Codec = codec
	if w.Codec == "" && codec != "json" {
		return r, 0, fmt.Errorf("results of this operation are stored by codec %s, which this program can't check: give -codec with the name that stored outcomes have (claims show) to have the bytes stored as they are, or decide from Go, with idem.ResultOf", visible(codec))
	}
	if r.Data, err = readFile(w.File, stdin); err != nil {
		return r, 0, err
	}
	shape := w.Shape
	if codec == "json" {
		known := op != nil && op.Codec == "json" && (shape == "" || shape == op.Result.Hash)
		if !json.Valid(r.Data) {
			return r, 0, errors.New("the result is no json")
		}
		if known {
			if shape = op.Result.Hash; parameterised(op.Result.Layout) {
				return r, 0, errors.New("the result's shape depends on a type argument: give -codec json and -shape as an outcome of the same operation has them that is stored (claims show)")
			}
			if err := fits(r.Data, op.Result.Layout); err != nil {
				return r, 0, fmt.Errorf("callers could not read this result: %w; idem.lock has its shape", err)
			}
		}
		r.Data = compact(r.Data)
	}
	if r.Schema, err = hex.DecodeString(shape); err != nil || shape != "" && len(r.Schema) != 8 {
		return r, 0, usage("-shape takes a hash as claims show and idem.lock have it, 16 digits and letters from a to f")
	}
	return r, keep, nil
}

// keep is how long the outcome is kept.
func (w ResultWish) keep(op *lock.Operation) (time.Duration, error) {
	text := w.TTL
	if text == "" && op != nil {
		text = op.TTL
	}
	switch d, err := duration(text); {
	case text == "":
		return 0, nil
	case text == "forever":
		return idem.Forever, nil
	case err != nil || d <= 0:
		return 0, usage("-ttl takes a time as in 36h or 7d, or forever, not %s", text)
	default:
		return d, nil
	}
}

// maxFile is more than anybody stores.
const maxFile = 64 << 20

// readFile reads a result.
func readFile(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, usage("there is no standard input")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if len(data) > maxFile {
		return nil, errors.New("the result is larger than 64 MiB")
	}
	return data, err
}

// readLock is the idem.lock of the module that a folder belongs to; nil: it has none.
func readLock(dir string) (*lock.File, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for ; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, lock.Name))
		switch {
		case err == nil:
			f, wrong := lock.Parse(text)
			if wrong != nil {
				return nil, fmt.Errorf("%s:%w", filepath.Join(at, lock.Name), wrong)
			}
			return f, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil || at == filepath.Dir(at) {
			return nil, nil
		}
	}
}

// operation finds an operation by the name that rows have; nil: there is none. Where a wrapper is generic, that has its type arguments.
func operation(f *lock.File, name string) *lock.Operation {
	if f == nil {
		return nil
	}
	if op := f.Operation(name); op != nil {
		return op
	}
	return f.Operation(generic(name))
}

// generic is a name with _ for each type argument.
func generic(name string) string {
	open, end := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if open < 0 || end < open {
		return name
	}
	arguments, depth := 1, 0
	for _, c := range name[open+1 : end] {
		switch c {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				arguments++
			}
		}
	}
	return name[:open+1] + strings.TrimSuffix(strings.Repeat("_,", arguments), ",") + name[end:]
}
