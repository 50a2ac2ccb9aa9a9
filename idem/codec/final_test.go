package codec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is final errors of operations whose results are encrypted: they are as secret as those.

var errSecret = idem.Final(errors.New("secret: card 4111 is stolen"))

func fails() (receipt, error) { return receipt{}, errSecret }

func TestEngine_FinalErrorsAreEncryptedAsResultsAre(t *testing.T) {
	t.Parallel()
	old, next := keyring(t, "a"), keyring(t, "b", "a")
	plain := idem.Codec[receipt](idem.JSON[receipt]{})
	for _, c := range []struct {
		name          string
		stored, reads idem.Codec[receipt]
		codec         string
		ok            bool
	}{
		{"on", encrypted(old), encrypted(old), "aesgcm+error", true},
		{"the next key", encrypted(old), encrypted(next), "aesgcm+error", true},
		{"twice", codec.Encrypt(old, encrypted(next)), codec.Encrypt(old, encrypted(next)), "aesgcm+aesgcm+error", true},
		{"switched on", plain, encrypted(old, codec.AcceptPlaintext()), "error", true},
		{"switched off", encrypted(next), encrypted(next, codec.StorePlaintext()), "aesgcm+error", true},
		{"off, and back to a process before", encrypted(next, codec.StorePlaintext()), plain, "error", true},
		{"succeeded by it", plain, codec.Succeed(encrypted(old), plain), "error", true},
		{"it succeeded", encrypted(old), codec.Succeed(plain, encrypted(old)), "aesgcm+error", true},
		{"of a succession", codec.Succeed(encrypted(old), plain), encrypted(next), "aesgcm+error", true},
		{"without the option", plain, encrypted(old), "error", false},
		{"to an older process", encrypted(next), encrypted(old), "aesgcm+error", false},
		{"off too early", encrypted(old), plain, "aesgcm+error", false},
	} {
		s := idemtest.NewStore()
		if _, err := do(t, s, c.stored, fails); !errors.Is(err, errSecret) {
			t.Fatal(c.name, err)
		}
		r := s.Row(idem.RowID(rowRef))
		if r.Codec != c.codec || strings.Contains(string(r.Result), "stolen") == codec.IsEncrypted(r.Codec) || r.State != idem.StateFailed {
			t.Errorf("%s: %s holds %q", c.name, r.Codec, r.Result)
		}
		_, err := do(t, s, c.reads, returns(receipt{"another", 2}))
		switch {
		case c.ok && (!idem.Replayed(err) || err.Error() != errSecret.Error()):
			t.Errorf("%s: %v", c.name, err)
		case !c.ok && (!errors.Is(err, idem.ErrUnreadable) || strings.Contains(err.Error(), "stolen")):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEngine_AFinalErrorCannotBeMovedToAnotherKeyNorBecomeAResult(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a"))
	s := idemtest.NewStore()
	_, _ = do(t, s, c, fails)
	id := idem.RowID(rowRef)
	whole := s.Row(id)
	for name, edit := range map[string]func(*idem.Row){
		"of another row": func(r *idem.Row) {
			_, data, err := c.EncodeError(idem.Ref{Operation: rowRef.Operation, Key: "other"}, "error", []byte(`{"version":1,"message":"x"}`))
			if r.Result = data; err != nil {
				t.Error(err)
			}
		},
		"a result's bytes": func(r *idem.Row) { r.Result = encode(t, c, rowRef, receipt{"a", 1}) },
		"cut off":          func(r *idem.Row) { r.Result = r.Result[:len(r.Result)-1] },
		"empty":            func(r *idem.Row) { r.Result = nil },
		"in plain text":    func(r *idem.Row) { r.Codec, r.Result = "error", []byte(`{"version":1,"message":"x"}`) },
	} {
		s.Edit(id, func(r *idem.Row) { *r = whole; edit(r) })
		if _, err := do(t, s, c, returns(receipt{"ran", 2})); !errors.Is(err, idem.ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What does not fit, or can't be encrypted, is stored without its text, never in plain.
func TestEngine_AFinalErrorThatCannotBeEncryptedIsItsCodeAlone(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a"))
	long := func() (receipt, error) {
		return receipt{}, idem.Final(errors.New("secret: " + strings.Repeat("x", 1000)))
	}
	for name, limit := range map[string]int{"cut": 300, "not at all": 20} {
		s := idemtest.NewStore()
		_, _ = do(t, s, c, long, idem.WithMaxResult(limit))
		r := s.Row(idem.RowID(rowRef))
		_, err := do(t, s, c, long)
		if cut := name == "cut"; !idem.Replayed(err) || len(r.Result) > limit || strings.HasPrefix(err.Error(), "secret: xxx") != cut || (r.Codec == "aesgcm+error") != cut {
			t.Errorf("%s: %d bytes by %s; %.60v", name, len(r.Result), r.Codec, err)
		}
	}
	s := idemtest.NewStore()
	_, err := do(t, s, codec.Encrypt(&flaky{Keys: keyring(t, "a")}, idem.JSON[receipt]{}), fails)
	if r := s.Row(idem.RowID(rowRef)); !errors.Is(err, errSecret) || r.State != idem.StateFailed || r.Codec != "none" || len(r.Result) > 0 {
		t.Errorf("without a key: %v, %s holds %q", err, r.Codec, r.Result)
	}
}
