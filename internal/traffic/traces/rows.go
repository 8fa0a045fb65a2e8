package traces

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// mostRow is how many bytes a row may have: browsers write the bodies into a HAR file.
const mostRow = 64 << 20

// A table is a file whose records are no lines: it is read row by row, never as a whole.
type table struct {
	noun  string // what it calls a row
	kind  kind   // of its rows: rows or, of objects of JSON, each a row of one field, jsonLines
	names []string
	bare  time.Duration // what a duration of 1 is
	next  func() ([][]byte, error)
}

// tableOf recognises a file by its first bytes; nil: its records are lines.
func tableOf(head []byte, in io.Reader) *table {
	b := &bounded{in: in, left: mostRow}
	switch {
	case isHAR(head):
		h := elements{bounded: b, dec: json.NewDecoder(b), in: []string{"log", "entries"}}
		return &table{"entry", rows, harNames, time.Millisecond, h.entry}
	case isArray(head):
		a := elements{bounded: b, dec: json.NewDecoder(b)}
		return &table{"element", jsonLines, nil, time.Second, a.object}
	case isVegetaGob(head):
		dec := gob.NewDecoder(b)
		return &table{"result", rows, vegetaNames, 1, func() ([][]byte, error) {
			b.left = mostRow
			return nextResult(dec)
		}}
	}
	return nil
}

// bounded ends a row that is too long with an error.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (n int, err error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("longer than %d MiB", mostRow>>20)
	}
	// as much as there is: a json.Decoder looks at all white space again after each read
	n, err = io.ReadFull(b.in, p[:min(len(p), b.left)])
	if b.left -= n; err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// harNames are the columns of an HTTP archive.
var harNames = []string{"startedDateTime", "time", "method", "status", "url"}

// isHAR tells an archive from JSON lines, which may have a member named log as well.
func isHAR(head []byte) bool {
	for _, part := range []string{"{", `"log"`, ":", "{"} {
		var ok bool
		if head, ok = bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(part)); !ok {
			return false
		}
	}
	return bytes.Contains(head, []byte(`"entries"`))
}

// isArray finds an array of objects.
func isArray(head []byte) bool {
	head, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	return ok && bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
}

// elements reads those of an array in JSON: of a file, or of the member of that path.
type elements struct {
	*bounded
	dec    *json.Decoder
	in     []string
	inside bool
}

func (h *elements) next(element any) error {
	h.left = mostRow
	if !h.inside {
		for _, name := range h.in {
			if err := h.enter(name); err != nil {
				return err
			}
		}
		if err := h.open('[', errors.New("log.entries is no array")); err != nil {
			return err
		}
		h.inside = true
	}
	if !h.dec.More() {
		if _, err := h.dec.Token(); err != nil {
			return cutOff(err)
		}
		return io.EOF
	}
	return cutOff(h.dec.Decode(element))
}

func (h *elements) object() ([][]byte, error) {
	var e json.RawMessage
	err := h.next(&e)
	return [][]byte{e}, err
}

// entry is one of an HTTP archive.
func (h *elements) entry() ([][]byte, error) {
	var e struct {
		StartedDateTime string
		Time            json.Number
		Request         struct{ Method, URL string }
		Response        struct{ Status json.Number }
	}
	if err := h.next(&e); err != nil {
		return nil, err
	}
	return [][]byte{[]byte(e.StartedDateTime), []byte(e.Time), []byte(e.Request.Method),
		[]byte(e.Response.Status), []byte(e.Request.URL)}, nil
}

// open goes into an object or an array; other is about another value.
func (h *elements) open(begin json.Delim, other error) error {
	t, err := h.dec.Token()
	if err == nil && t != begin {
		err = other
	}
	return cutOff(err)
}

// enter goes to the value of the member of that name of the object that begins here.
func (h *elements) enter(name string) error {
	if err := h.open('{', errJSON); err != nil {
		return err
	}
	for h.dec.More() {
		key, err := h.dec.Token()
		if err != nil {
			return cutOff(err)
		}
		if key == name {
			return nil
		}
		var other json.RawMessage
		if err := h.dec.Decode(&other); err != nil {
			return cutOff(err)
		}
	}
	return fmt.Errorf("the object has no %q", name)
}

// cutOff is about a file that ends too early: the end of a file is none of a row.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// vegetaNames are the columns of vegeta's results, in the order of its CSV.
var vegetaNames = []string{"timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body",
	"attack", "seq", "method", "url", "headers"}

// isVegetaGob finds the definition of vegeta's Result, with which a file of gobs begins.
func isVegetaGob(head []byte) bool {
	head = head[:min(len(head), 512)]
	return bytes.IndexByte(head, 0xff) >= 0 && bytes.Contains(head, []byte("Timestamp")) &&
		bytes.Contains(head, []byte("Latency"))
}

// isVegetaCSV tells vegeta's columns, which have no names: older versions write nine.
func isVegetaCSV(fields []string) bool {
	if len(fields) != 9 && len(fields) != len(vegetaNames) || len(fields[0]) != 19 ||
		len(fields[1]) > 3 {
		return false
	}
	return !slices.ContainsFunc([]int{0, 1, 2, 3, 4, 8}, func(i int) bool {
		_, err := strconv.ParseUint(fields[i], 10, 64)
		return err != nil
	})
}

// isVegetaJSON tells an object of vegeta's by members that it writes always.
func isVegetaJSON(line []byte) bool {
	always := []string{"timestamp", "latency", "attack", "seq", "code", "bytes_in"}
	return !slices.ContainsFunc(always, func(name string) bool {
		_, ok, err := member(line, name)
		return !ok || err != nil
	})
}

// nextResult reads what vegeta attack writes unless it is told otherwise.
func nextResult(dec *gob.Decoder) ([][]byte, error) {
	var r struct {
		Attack, Method, URL, Error string
		Seq, BytesOut, BytesIn     uint64
		Code                       uint16
		Timestamp                  time.Time
		Latency                    time.Duration
	}
	if err := dec.Decode(&r); err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, fmt.Errorf("%w: no gob of vegeta's; vegeta encode writes CSV", err)
	}
	number := func(n uint64) []byte { return strconv.AppendUint(nil, n, 10) }
	return [][]byte{r.Timestamp.UTC().AppendFormat(nil, time.RFC3339Nano), number(uint64(r.Code)),
		strconv.AppendInt(nil, int64(r.Latency), 10), number(r.BytesOut), number(r.BytesIn),
		[]byte(r.Error), nil, []byte(r.Attack), number(r.Seq), []byte(r.Method), []byte(r.URL),
		nil}, nil
}
