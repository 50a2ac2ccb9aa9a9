package idem

import (
	"errors"
	"fmt"
	"time"
)

// This file is what New can be told.

// Option configures New.
type Option func(*config) error

type config struct {
	observers      []Observer
	fingerprintKey []byte
	classifiers    []func(error) bool
	maxResult      int
	storeTimeout   time.Duration
	sweepEvery     time.Duration
	sweepGrace     time.Duration
	origin         string
	storedResults  bool
}

func defaults() config {
	return config{maxResult: 1 << 20, storeTimeout: 10 * time.Second, sweepGrace: time.Minute}
}

// WithObserver adds an observer of every event. It may be given several times.
func WithObserver(o Observer) Option {
	return func(c *config) error {
		if o == nil {
			return errors.New("idem: WithObserver needs an observer")
		}
		c.observers = append(c.observers, o)
		return nil
	}
}

// WithFingerprintKey makes fingerprints keyed (HMAC), so that guessable arguments such as card numbers can't be found by
// trying. The key has at least 16 bytes and must be the same in all processes: with another one every stored fingerprint mismatches.
func WithFingerprintKey(key []byte) Option {
	return func(c *config) error {
		if len(key) < 16 {
			return fmt.Errorf("idem: WithFingerprintKey needs at least 16 bytes, not %d", len(key))
		}
		c.fingerprintKey = append([]byte(nil), key...)
		return nil
	}
}

// WithClassifier adds a function that reports whether an error of a method says nothing about its effect, as a timeout of a
// remote call does; such a run is abandoned or held instead of released. It is asked after marks and the operation's rules.
func WithClassifier(unknown func(error) bool) Option {
	return func(c *config) error {
		if unknown == nil {
			return errors.New("idem: WithClassifier needs a function")
		}
		c.classifiers = append(c.classifiers, unknown)
		return nil
	}
}

// WithMaxResult sets the largest encoded result that is stored, in bytes; default 1 MiB. A larger one is not stored: the
// call that produced it gets it, later ones get ErrResultNotStored.
func WithMaxResult(bytes int) Option {
	return func(c *config) error {
		if bytes < 1 {
			return fmt.Errorf("idem: WithMaxResult needs at least 1 byte, not %d", bytes)
		}
		c.maxResult = bytes
		return nil
	}
}

// WithStoreTimeout limits how long a call waits for the store in one go: before its method is started, to get the claim (ErrStore after
// that); and after it has returned, whatever became of the caller's context, to complete, release or abandon. A single step has
// a third of it. Default 10s, at least 10ms. An outcome that can't be stored in that time is stored in the background.
func WithStoreTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d < 10*time.Millisecond {
			return fmt.Errorf("idem: WithStoreTimeout needs at least 10ms, not %s", d)
		}
		c.storeTimeout = d
		return nil
	}
}

// WithSweep makes the engine sweep in the background, about every d (at least 1s). Several processes may do so: they don't get
// into each other's way.
func WithSweep(every time.Duration) Option {
	return func(c *config) error {
		if every < time.Second {
			return fmt.Errorf("idem: WithSweep needs at least 1s, not %s", every)
		}
		c.sweepEvery = every
		return nil
	}
}

// WithSweepGrace sets how long past its expiry a row is left alone by sweeps, so that a caller who is about to read it still
// can; default 1 minute, not negative.
func WithSweepGrace(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("idem: WithSweepGrace can't be negative: %s", d)
		}
		c.sweepGrace = d
		return nil
	}
}

// WithStoredResults makes the call that ran its method return what was stored, decoded, as every later call gets it: what storage does
// to a result shows in the first test, and not in the first retry. It costs a decoding. A result that can't be decoded is stored all the
// same and the call fails, as all later ones will, with ErrUnreadable; LostResult has the method's own. A final error comes back as the
// *StoredError that later calls get. idemtest.NewEngine has it on.
func WithStoredResults() Option {
	return func(c *config) error {
		c.storedResults = true
		return nil
	}
}

// WithOrigin sets a text that is stored with every claim of this engine for people to read, such as a host name; up to 255 bytes
// of UTF-8 without control characters.
func WithOrigin(text string) Option {
	return func(c *config) error {
		if len(text) > 255 || !printable(text) {
			return errors.New("idem: WithOrigin takes up to 255 bytes of UTF-8 without control characters")
		}
		c.origin = text
		return nil
	}
}
