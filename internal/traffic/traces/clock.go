package traces

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A clock parses the times of one file. The first number determines the unit of all, so the unit
// does not change within a trace.
type clock struct {
	unit  int64 // nanoseconds per unit; 0: not known yet
	zone  int64 // of the first time
	dated bool
	begun bool
}

func (c *clock) parse(text []byte) (ns int64, ok bool) {
	text = bytes.TrimSpace(text)
	var zone int64
	dated := true
	switch {
	case len(text) >= 19 && text[4] == '-':
		ns, zone, ok = parseISO(text)
	case len(text) >= 20 && text[2] == '/':
		ns, zone, ok = parseLogTime(text)
	default:
		if c.unit == 0 {
			c.unit = unitOf(text)
		}
		ns, ok = parseNumber(text, c.unit)
		dated = ns >= minDate
	}
	if ok && !c.begun {
		c.begun, c.zone, c.dated = true, zone, dated
	}
	return ns, ok
}

// unitOf determines the unit by the number of digits: seconds since 1970 have ten.
func unitOf(text []byte) int64 {
	if bytes.ContainsAny(text, "eE") {
		if x, err := strconv.ParseFloat(string(text), 64); err == nil && x >= 1 && x < 1e19 {
			text = strconv.AppendFloat(nil, x, 'f', 0, 64)
		}
	}
	whole, _, _ := bytes.Cut(text, []byte{'.'})
	switch n := len(whole); {
	case n <= 11:
		return int64(time.Second)
	case n <= 14:
		return int64(time.Millisecond)
	case n <= 17:
		return int64(time.Microsecond)
	}
	return 1
}

// parseNumber rounds to the nearest nanosecond. It uses integers, because a float64 of seconds
// since 1970 has an error of about 200 ns.
func parseNumber(text []byte, unit int64) (ns int64, ok bool) {
	i := 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		if ns > (math.MaxInt64-9)/10 {
			return 0, false
		}
		ns = ns*10 + int64(text[i]-'0')
	}
	if ns > math.MaxInt64/unit-1 || i == 0 && (len(text) < 2 || text[0] != '.') {
		return 0, false
	}
	ns *= unit
	if i < len(text) && text[i] == '.' {
		i++
		for place := unit; i < len(text) && isDigit(text[i]); i++ {
			digit := int64(text[i] - '0')
			if place == 1 && digit >= 5 {
				ns++
			}
			place /= 10
			ns += digit * place
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		x, err := strconv.ParseFloat(string(text), 64)
		if x *= float64(unit); err != nil || !(x >= 0 && x < math.MaxInt64) {
			return 0, false
		}
		return int64(math.Round(x)), true
	}
	return ns, i == len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func digits(text []byte) (n int64) {
	for _, c := range text {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// parseISO parses 2026-05-01T09:00:00.25+02:00. A blank may replace the T and precede the zone, a
// comma may replace the point, and the zone may be missing.
func parseISO(t []byte) (ns, zone int64, ok bool) {
	if t[7] != '-' || t[10] != 'T' && t[10] != ' ' && t[10] != 't' {
		return 0, 0, false
	}
	seconds, ok := instant(digits(t[:4]), digits(t[5:7]), digits(t[8:10]), t[11:19])
	ns, t = seconds*int64(time.Second), t[19:]
	if !ok {
		return 0, 0, false
	}
	if len(t) > 1 && (t[0] == '.' || t[0] == ',') {
		place := int64(time.Second)
		for t = t[1:]; len(t) > 0 && isDigit(t[0]); t = t[1:] {
			place /= 10
			ns += int64(t[0]-'0') * place
		}
	}
	zone, ok = parseZone(bytes.TrimLeft(t, " "))
	return ns - zone, zone, ok
}

func parseLogTime(t []byte) (ns, zone int64, ok bool) {
	const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	month := bytes.Index([]byte(months), t[3:6])
	if t[6] != '/' || t[11] != ':' || month < 0 || month%3 != 0 {
		return 0, 0, false
	}
	seconds, ok := instant(digits(t[7:11]), int64(month/3+1), digits(t[:2]), t[12:20])
	if !ok {
		return 0, 0, false
	}
	zone, ok = parseZone(bytes.TrimLeft(t[20:], " "))
	return seconds*int64(time.Second) - zone, zone, ok
}

func parseZone(t []byte) (ns int64, ok bool) {
	switch string(t) {
	case "UTC", "GMT":
		return 0, true
	}
	if len(t) == 0 || len(t) == 1 && (t[0] == 'Z' || t[0] == 'z') {
		return 0, true
	}
	if len(t) < 5 || len(t) > 6 || t[0] != '+' && t[0] != '-' || len(t) == 6 && t[3] != ':' {
		return 0, false
	}
	hours, minutes := digits(t[1:3]), digits(t[len(t)-2:])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	ns = hours*int64(time.Hour) + minutes*int64(time.Minute)
	if t[0] == '-' {
		ns = -ns
	}
	return ns, true
}

// instant returns the seconds since 1970 of a date with a time hh:mm:ss. A leap second, 60, is the
// next second.
func instant(year, month, day int64, t []byte) (seconds int64, ok bool) {
	hour, minute, second := digits(t[:2]), digits(t[3:5]), digits(t[6:8])
	if t[2] != ':' || t[5] != ':' || year < 1970 || month < 1 || month > 12 || day < 1 ||
		day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
		second > 60 {
		return 0, false
	}
	if year > 2200 {
		return latest / 1e9 * 2, true // out of range, rejected later
	}
	return time.Date(int(year), time.Month(month), int(day), int(hour), int(minute), int(second), 0,
		time.UTC).Unix(), true
}

var numbers = map[time.Duration]string{time.Second: "seconds such as 0.0015",
	time.Millisecond: "milliseconds such as 1.5", time.Microsecond: "microseconds such as 1500",
	time.Nanosecond: "nanoseconds such as 1500000"}

// Duration parses 1.5ms, or a number of that unit.
func Duration(text []byte, unit time.Duration) (time.Duration, error) {
	bare := bytes.TrimSpace(text)
	if ns, ok := parseNumber(bare, int64(unit)); ok {
		return time.Duration(ns), nil
	}
	d, err := time.ParseDuration(string(bare))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a duration such as 1.5ms, or %s, got %.40q", numbers[unit], text)
	}
	return d, nil
}
