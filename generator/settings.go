package generator

import (
	"errors"
	"fmt"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"time"
)

// This file reads the values of the settings: policy, stale, ttl, takeover, tx, detach.

// field is a blank-separated part of a value.
type field struct {
	text string
	at   int // in the annotation's argument
}

// fields splits at spaces and tabs.
func fields(arg string) (list []field) {
	start := -1
	for i := 0; i <= len(arg); i++ {
		blank := i == len(arg) || arg[i] == ' ' || arg[i] == '\t'
		switch {
		case blank && start >= 0:
			list = append(list, field{arg[start:i], start})
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	return list
}

// reading is one annotation's value being read, field by field. The first thing wrong with it is kept.
type reading struct {
	note   annotation
	fields []field
	wrong  *flaw
}

func newReading(n annotation) *reading { return &reading{note: n, fields: fields(n.Arg)} }

func (r *reading) fail(f field, format string, args ...any) {
	if r.wrong == nil {
		r.wrong = &flaw{r.note.at(f.at), codeBadValue, fmt.Sprintf(format, args...)}
	}
}

// next is the next field; it is empty after the last.
func (r *reading) next() field {
	if len(r.fields) == 0 {
		return field{at: len(r.note.Arg)}
	}
	f := r.fields[0]
	r.fields = r.fields[1:]
	return f
}

// end says that there must be nothing more.
func (r *reading) end(after string) {
	if f := r.next(); f.text != "" {
		r.fail(f, "unexpected `%s` after %s; delete it", f.text, after)
	}
}

var (
	unitless = regexp.MustCompile(`^[-+]?[0-9.]+$`)
	withUnit = regexp.MustCompile(`^[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)
)

// duration reads a positive one; what names it in messages.
func (r *reading) duration(f field, what string) *time.Duration {
	d, err := time.ParseDuration(f.text)
	switch {
	case err == nil && d <= 0:
		r.fail(f, "%s must be positive; write one as in 15s", what)
	case err == nil:
		return &d
	case unitless.MatchString(f.text):
		r.fail(f, "`%s` is not a duration, because it has no unit; write %ss, if seconds are meant", f.text, f.text)
	case withUnit.MatchString(f.text):
		r.fail(f, "`%s` is out of range; write a shorter duration", f.text)
	default:
		r.fail(f, "`%s` is not a duration%s", f.text, durationHint(f.text))
	}
	return nil
}

// set reads one setting into s. An annotation without a value has been refused before.
func (s *settings) set(n annotation) *flaw {
	r := newReading(n)
	switch {
	case n.Word == "tx":
		s.setTx(r)
		return r.wrong
	case n.Word == "detach":
		s.Detach = true
		return nil
	case len(r.fields) == 0:
		return nil
	}
	switch n.Word {
	case "policy":
		s.setPolicy(r)
	case "stale":
		s.setLease(r)
	case "ttl":
		s.setTTL(r)
	case "takeover":
		s.setTakeover(r)
	}
	return r.wrong
}

func (s *settings) setPolicy(r *reading) {
	f := r.next()
	switch f.text {
	case "poll":
		if wait := r.next(); wait.text != "" {
			s.MaxWait = r.duration(wait, "the wait")
			r.end("the wait")
		}
	case "conflict":
		r.end("`conflict`")
	default:
		r.fail(f, "unknown policy `%s`; write poll or conflict", f.text)
	}
	s.Policy = &f.text
}

// The limits of a lease.
const (
	leastLease = 100 * time.Millisecond
	shortLease = time.Second
)

func (s *settings) setLease(r *reading) {
	f := r.next()
	s.Lease = r.duration(f, "the stale time")
	if s.Lease != nil && *s.Lease < leastLease {
		r.wrong = &flaw{r.note.at(f.at), codeShortLease, fmt.Sprintf("a lease of %s is too short; use %s or more", *s.Lease, leastLease)}
	}
	if f = r.next(); f.text != "" {
		if s.NoRenew = f.text == "norenew"; !s.NoRenew {
			r.fail(f, "unexpected `%s` after the stale time; write norenew, or delete it", f.text)
		}
		r.end("`norenew`")
	}
}

func (s *settings) setTTL(r *reading) {
	if f := r.next(); f.text == "forever" {
		forever := time.Duration(math.MaxInt64)
		s.TTL = &forever
	} else {
		s.TTL = r.duration(f, "the ttl")
	}
	r.end("the ttl")
}

func (s *settings) setTakeover(r *reading) {
	f := r.next()
	switch f.text {
	case "rerun", "hold":
		s.Takeover = &f.text
	case "recover":
		s.Takeover = &f.text
		s.setRecover(r, f)
	default:
		r.fail(f, "unknown takeover policy `%s`; write rerun, recover METHOD or hold", f.text)
	}
	word := r.next()
	if word.text == "" {
		return
	}
	if word.text != "maxattempts" {
		r.fail(word, "unexpected `%s` after the takeover policy; write maxattempts N, or delete it", word.text)
		return
	}
	count := r.next()
	n, err := strconv.ParseInt(count.text, 10, 32)
	switch {
	case count.text == "":
		r.fail(word, "`maxattempts` needs a number; write it behind it")
	case errors.Is(err, strconv.ErrRange) && n > 0:
		r.fail(count, "`%s` is out of range; write %d or less", count.text, math.MaxInt32)
	case err != nil || n < 1:
		r.fail(count, "`%s` is not a number of attempts; write one from 1", count.text)
	case count.text != strconv.FormatInt(n, 10):
		r.fail(count, "`%s` is an unusual spelling of a number; write %d", count.text, n)
	}
	attempts := int(n)
	s.MaxAttempts = &attempts
	r.end("the number of attempts")
}

// setRecover reads the name of the method that tells whether another has happened.
func (s *settings) setRecover(r *reading, word field) {
	f := r.next()
	switch {
	case f.text == "" || f.text == "maxattempts":
		r.fail(word, "`recover` needs the name of the method that tells whether it has happened; write recover METHOD")
		return
	case !token.IsIdentifier(f.text):
		r.fail(f, "`%s` is not the name of a method; write the name alone, as in FindCharge", f.text)
	}
	s.Recover, s.RecoverAt = f.text, r.note.at(f.at)
}

func (s *settings) setTx(r *reading) {
	f := r.next()
	switch f.text {
	case "":
		s.Tx = "own"
	case "own", "join", "optimistic":
		s.Tx = f.text
	default:
		r.fail(f, "unknown transaction mode `%s`; write own, join or optimistic", f.text)
	}
	r.end("the transaction mode")
}
