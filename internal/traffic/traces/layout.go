package traces

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

type kind int

const (
	unknown kind = iota
	separated
	jsonLines
	accessLog
)

// logNames are the columns of the combined format, with the optional request time at the end.
var logNames = []string{"remote_addr", "ident", "remote_user", "time_local", "request", "status",
	"body_bytes_sent", "http_referer", "http_user_agent", "request_time"}

type column struct {
	index int
	name  string
}

type layout struct {
	kind       kind
	separator  byte
	time, took column
	class      column
	labels     [MaxLabels]column
	unit       time.Duration // of durations that are plain numbers
	format     []logField    // of a log with a given format
	names      []string      // of the columns
}

// find examines the first line. named means that it contains the names of the columns.
func (l *layout) find(line []byte, s Source) (named bool, err error) {
	var names []string
	l.unit = cmp.Or(s.Unit, time.Second)
	switch {
	case s.Layout != "":
		l.kind = accessLog
		if l.format, err = parseLayout(s.Layout); err != nil {
			return false, fmt.Errorf("layout: %w", err)
		}
		for _, f := range l.format {
			names = append(names, f.name)
		}
	case line[0] == '{':
		l.kind = jsonLines
	case bytes.HasPrefix(line, []byte("[{")) || string(line) == "[":
		return false, errJSON
	case isLogLine(line):
		l.kind, names = accessLog, logNames
	default:
		l.kind, l.separator = separated, ','
		for _, c := range []byte{';', '\t'} {
			if bytes.Count(line, []byte{c}) > bytes.Count(line, []byte{l.separator}) {
				l.separator = c
			}
		}
		for i := 0; ; i++ {
			name, err := l.field(line, column{index: i})
			if err != nil {
				break
			}
			names = append(names, string(bytes.TrimSpace(name)))
		}
	}
	return l.choose(names, s)
}

// choose finds the requested columns. named means that it has searched for one in a line of names.
func (l *layout) choose(names []string, s Source) (named bool, err error) {
	l.names = names
	type wanted struct {
		text string
		to   *column
	}
	columns := []wanted{{s.Time, &l.time}, {s.Duration, &l.took}, {s.Class, &l.class}}
	for i := range s.Labels {
		columns = append(columns, wanted{s.Labels[i], &l.labels[i]})
	}
	for _, c := range columns {
		if c.text == "" {
			continue
		}
		byName := false
		if *c.to, byName, err = l.column(c.text, names); err != nil {
			return false, err
		}
		named = named || byName && l.kind == separated
	}
	if unit := variableUnits[l.nameOf(l.took)]; s.Unit == 0 && s.Duration != "" && unit != 0 {
		l.unit = unit
	}
	return named, nil
}

func (l *layout) nameOf(c column) string {
	if c.index < len(l.format) {
		return l.format[c.index].name
	}
	return ""
}

func (l *layout) column(s string, names []string) (c column, byName bool, err error) {
	n, err := strconv.Atoi(s)
	switch {
	case l.kind == jsonLines:
		return column{name: s}, true, nil
	case err == nil && n < 1:
		return column{}, false, fmt.Errorf("column %d: want 1 or more, or a name", n)
	case err == nil:
		return column{index: n - 1}, false, nil
	}
	if n = slices.Index(names, s); n < 0 {
		err := fmt.Errorf("no column is named %q", s)
		if known := named(names); len(known) > 0 {
			err = fmt.Errorf("%w; the line has %s", err, text.List(text.Truncate(known, 10)))
		}
		return column{}, false, err
	}
	return column{index: n}, true, nil
}

// named filters, because the first line of a file may be a record.
func named(names []string) (all []string) {
	for _, name := range names {
		if isName([]byte(name)) {
			all = append(all, name)
		}
	}
	return all
}

// tooMany returns an error if a line has more fields than there are names, because a comma within a
// field shifts all later fields. Empty fields may follow.
func (l *layout) tooMany(line []byte) error {
	n := len(l.names)
	if bytes.Count(line, []byte{l.separator}) < n { // cheap, and true for nearly every line
		return nil
	}
	fields, more := 0, true
	for rest := line; more; {
		var text []byte
		var err error
		if text, rest, more, err = l.cut(rest); err != nil {
			return err
		}
		if fields++; fields > n && len(bytes.TrimSpace(text)) > 0 {
			return fmt.Errorf("field %d, %.40q, has no name in the first line; a %q within a "+
				"field wants quotes", fields, text, l.separator)
		}
	}
	return nil
}

// isLogLine finds the date of an access log, [10/Oct/2026:13:55:36 +0000].
func isLogLine(line []byte) bool {
	_, rest, ok := bytes.Cut(line, []byte{'['})
	if date, _, closed := bytes.Cut(rest, []byte{']'}); ok && closed {
		_, ok = new(clock).parse(date)
		return ok && bytes.IndexByte(date, '/') > 0
	}
	return false
}

func (l *layout) field(line []byte, c column) ([]byte, error) {
	if l.kind == jsonLines {
		value, ok, err := member(line, c.name)
		if err == nil && !ok {
			err = fmt.Errorf("the object has no %q", c.name)
			if all := members(line); all != nil {
				err = fmt.Errorf("%w; it has %s", err, text.List(text.Truncate(all, 10)))
			}
		}
		return value, err
	}
	rest := line
	for i := 0; ; i++ {
		var s []byte
		var more bool
		var err error
		if s, rest, more, err = l.cut(rest); err != nil || i == c.index {
			if err == nil && i < len(l.format) {
				s = l.format[i].value(s)
			}
			return s, err
		}
		if !more {
			return nil, fmt.Errorf("no column %d, the line has %d", c.index+1, i+1)
		}
	}
}

var errQuote = errors.New(`missing " at the end of a field`)

func (l *layout) cut(line []byte) (text, rest []byte, more bool, err error) {
	separator, closing := l.separator, byte(0)
	if l.kind == accessLog {
		separator = ' '
	}
	if len(line) > 0 {
		switch {
		case line[0] == '"':
			closing = '"'
		case line[0] == '[' && l.kind == accessLog:
			closing = ']'
		}
	}
	from := 0
	if closing != 0 {
		for from = 1; ; from++ {
			n := bytes.IndexByte(line[from:], closing)
			if n < 0 {
				return nil, nil, false, errQuote
			}
			from += n
			if l.kind == accessLog && line[from-1] == '\\' {
				continue // \"
			}
			if l.kind == separated && from+1 < len(line) && line[from+1] == '"' {
				from++ // ""
				continue
			}
			break
		}
	}
	end := bytes.IndexByte(line[from:], separator)
	if end < 0 {
		text, rest = line, nil
	} else {
		text, rest = line[:from+end], line[from+end+1:]
	}
	if closing != 0 {
		text = text[1:from]
	}
	return text, rest, end >= 0, nil
}

// isName distinguishes the name of a column from an invalid time.
func isName(text []byte) bool {
	return len(text) > 0 && !strings.ContainsRune("+-.0123456789", rune(text[0]))
}
