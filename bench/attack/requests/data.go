package requests

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Data is rows of values by column.
type Data struct {
	Name    string // base name of the file
	Columns []string
	Rows    [][]Value
	// first line of each row, from 1. Values with line breaks make gaps
	Lines []int
	// requests already checked against these rows, since planner and sender both check
	sound sync.Map
}

// whole validates data that may have come over a network.
func (d *Data) whole() bool {
	wrong := func(row []Value) bool { return len(row) != len(d.Columns) }
	return len(d.Rows) > 0 && len(d.Lines) == len(d.Rows) && !slices.ContainsFunc(d.Rows, wrong)
}

// A Value is a text, or another JSON value as written.
type Value struct {
	Text string `json:"t"`
	JSON bool   `json:"j,omitempty"`
}

// Formats of data.
const (
	CSV   = "csv"
	TSV   = "tsv"
	Lines = "jsonl"
)

// DataFormats are the supported formats.
var DataFormats = []string{CSV, TSV, Lines}

// FormatOf returns the format for a file name's extension, or "".
func FormatOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".jsonl", ".ndjson", ".json":
		return Lines
	}
	return ""
}

// ReadData parses a file in one of the DataFormats: CSV or TSV with column names in the first row,
// or a JSON object per line. All rows must have the same columns. Errors name file and line.
func ReadData(name string, text []byte, format string) (*Data, error) {
	d := &Data{Name: filepath.Base(name)}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s:%d: want UTF-8", name, lineOf(text, firstInvalid(text)))
	}
	// at most one row per line: growing would double the memory
	rows := min(bytes.Count(text, []byte("\n"))+1, MaxRows)
	d.Rows, d.Lines = make([][]Value, 0, rows), make([]int, 0, rows)
	var err error
	switch format {
	case CSV:
		err = d.readCSV(name, text, separatorOf(text))
	case TSV:
		err = d.readCSV(name, text, '\t')
	case Lines:
		err = d.readLines(name, text)
	default:
		err = fmt.Errorf("%s: want its format: %s", name, strings.Join(DataFormats, " or "))
	}
	if err == nil && len(d.Rows) == 0 {
		err = fmt.Errorf("%s: the file has no row of data", name)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func firstInvalid(text []byte) (at int) {
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size < 2 {
			break
		}
		at += size
	}
	return at
}

func lineOf(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

// separatorOf returns the most frequent separator outside quotes in the first non-empty line.
func separatorOf(text []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	count := map[rune]int{}
	quoted := false
	for _, c := range string(line) {
		if quoted = quoted != (c == '"'); !quoted {
			count[c]++
		}
	}
	best := ','
	for _, c := range []rune{';', '\t'} {
		if count[c] > count[best] {
			best = c
		}
	}
	return best
}

func (d *Data) readCSV(name string, text []byte, separator rune) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = separator
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("%s:%d: %w", name, wrong.StartLine, wrong.Err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		switch {
		case d.Columns == nil:
			if err := d.head(slices.Clone(fields)); err != nil {
				return fmt.Errorf("%s:%d: %w", name, line, err)
			}
			continue
		case len(fields) != len(d.Columns):
			return fmt.Errorf("%s:%d: the row has %d fields, and the first row names %d columns",
				name, line, len(fields), len(d.Columns))
		}
		row := make([]Value, len(fields))
		for i, f := range fields {
			row[i].Text = f
		}
		if err := d.add(row, line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// MaxRows limits the rows of data. Each needs at least a hundred bytes.
const MaxRows = 2_000_000

func (d *Data) add(row []Value, line int) error {
	if len(d.Rows) == MaxRows {
		return fmt.Errorf("want at most %d rows", MaxRows)
	}
	d.Rows, d.Lines = append(d.Rows, row), append(d.Lines, line)
	return nil
}

func (d *Data) head(names []string) error {
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
		switch n = names[i]; {
		case n == "":
			return fmt.Errorf("column %d has no name", i+1)
		case slices.Contains(names[:i], n):
			return fmt.Errorf("two columns are named %q", n)
		case slices.Contains(ownNames, n):
			return fmt.Errorf("column %s has the name of a function of templates: name it "+
				"otherwise", n)
		}
	}
	d.Columns = names
	return nil
}

func (d *Data) readLines(name string, text []byte) error {
	for line := 1; len(text) > 0; line++ {
		var one []byte
		one, text, _ = bytes.Cut(text, []byte("\n"))
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		keys, values, err := object(one)
		if err == nil && d.Columns == nil {
			err = d.head(slices.Clone(keys))
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		row := make([]Value, len(d.Columns))
		for i, c := range d.Columns {
			at := slices.Index(keys, c)
			if at < 0 {
				return fmt.Errorf("%s:%d: %q of the first row is missing", name, line, c)
			}
			row[i] = values[at]
		}
		for _, k := range keys {
			if !slices.Contains(d.Columns, k) {
				return fmt.Errorf("%s:%d: %q is not in the first row", name, line, k)
			}
		}
		if err := d.add(row, line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	return nil
}

func object(text []byte) (keys []string, values []Value, err error) {
	r := json.NewDecoder(bytes.NewReader(text))
	if open, err := r.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, errors.New("want an object of JSON in the line")
	}
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return nil, nil, errNoJSON
		}
		var raw json.RawMessage
		if err := r.Decode(&raw); err != nil {
			return nil, nil, errNoJSON
		}
		name, _ := key.(string)
		if slices.Contains(keys, name) {
			return nil, nil, fmt.Errorf("%q occurs twice", name)
		}
		v := Value{Text: string(raw), JSON: true}
		if raw[0] == '"' {
			v.JSON = false
			if err := json.Unmarshal(raw, &v.Text); err != nil {
				return nil, nil, errNoJSON
			}
		}
		keys, values = append(keys, name), append(values, v)
	}
	if _, err := r.Token(); err != nil {
		return nil, nil, errNoJSON
	}
	if _, err := r.Token(); err != io.EOF {
		return nil, nil, errors.New("want one JSON object in the line, and no further text")
	}
	if len(keys) == 0 {
		return nil, nil, errors.New("the object is empty")
	}
	return keys, values, nil
}

var errNoJSON = errors.New("the line is not valid JSON")
