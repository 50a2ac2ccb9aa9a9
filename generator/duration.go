package generator

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file guesses what durations were meant that Go does not know.

var (
	otherUnits = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)([a-z]+)`)
	wholeUnits = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)?[a-z]+)+$`)
)

// unitNames are the units that people write, as hours where Go has none.
var unitNames = map[string]struct {
	unit  string
	times float64
}{
	"ms": {"ms", 1}, "msec": {"ms", 1}, "s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1},
	"m": {"m", 1}, "min": {"m", 1}, "mins": {"m", 1}, "minute": {"m", 1}, "minutes": {"m", 1},
	"h": {"h", 1}, "hr": {"h", 1}, "hrs": {"h", 1}, "hour": {"h", 1}, "hours": {"h", 1},
	"d": {"h", 24}, "day": {"h", 24}, "days": {"h", 24}, "w": {"h", 168}, "week": {"h", 168}, "weeks": {"h", 168},
}

// durationHint says what to write for text, which is no duration.
func durationHint(text string) string {
	const usual = "; write one as in 500ms, 15s, 1h30m"
	lower := strings.ToLower(text)
	if !wholeUnits.MatchString(lower) {
		return usual
	}
	var total time.Duration
	days := false
	for _, m := range otherUnits.FindAllStringSubmatch(lower, -1) {
		name, known := unitNames[m[2]]
		n, err := strconv.ParseFloat(m[1], 64)
		if !known || err != nil {
			return usual
		}
		d, err := time.ParseDuration(strconv.FormatFloat(n*name.times, 'f', -1, 64) + name.unit)
		if err != nil || total+d <= 0 {
			return usual
		}
		total += d
		days = days || name.times > 1
	}
	if days {
		return ", because Go's have no days; write " + shortDuration(total)
	}
	return "; write " + shortDuration(total)
}

// shortDuration is what String gives without the parts that are zero.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
