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

// mostRow is the largest number of bytes of a row: browsers write bodies into a HAR file.
const mostRow = 64 << 20

// A table is a file whose records are not lines. It is read row by row, never as a whole.
type table struct {
	noun  string // its name for a row
	kind  kind   // of its rows: rows or, for JSON objects, each a row of one field, jsonLines
	names []string
	bare  time.Duration // unit of a number as duration
	next  func() ([][]byte, error)
}

// tableOf recognises a file by its first bytes, and returns nil if its records are lines.
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

// bounded returns an error when a row is too long.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (n int, err error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("longer than %d MiB", mostRow>>20)
	}
	// as much as possible, because a json.Decoder scans all white space again after each read
	n, err = io.ReadFull(b.in, p[:min(len(p), b.left)])
	if b.left -= n; err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

var harNames = []string{"startedDateTime", "time", "method", "status", "url"}

// isHAR distinguishes an archive from JSON lines, which may also have a member named log.
func isHAR(head []byte) bool {
	for _, part := range []string{"{", `"log"`, ":", "{"} {
		var ok bool
		if head, ok = bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(part)); !ok {
			return false
		}
	}
	return bytes.Contains(head, []byte(`"entries"`))
}

func isArray(head []byte) bool {
	head, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	return ok && bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
}

// elements reads the elements of a JSON array: the file, or the member at that path.
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

// open enters an object or an array. It returns other for another value.
func (h *elements) open(begin json.Delim, other error) error {
	t, err := h.dec.Token()
	if err == nil && t != begin {
		err = other
	}
	return cutOff(err)
}

// enter goes to the value of the named member of the next object.
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

// cutOff turns the end of the file within a row into an error.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

var vegetaNames = []string{"timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body",
	"attack", "seq", "method", "url", "headers"}

// isVegetaGob finds the definition of vegeta's Result, with which a file of gobs begins.
func isVegetaGob(head []byte) bool {
	head = head[:min(len(head), 512)]
	return bytes.IndexByte(head, 0xff) >= 0 && bytes.Contains(head, []byte("Timestamp")) &&
		bytes.Contains(head, []byte("Latency"))
}

// isVegetaCSV recognises vegeta's CSV, which has no names. Older versions write nine columns.
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

// isVegetaJSON recognises vegeta's objects by members that are always written.
func isVegetaJSON(line []byte) bool {
	always := []string{"timestamp", "latency", "attack", "seq", "code", "bytes_in"}
	return !slices.ContainsFunc(always, func(name string) bool {
		_, ok, err := member(line, name)
		return !ok || err != nil
	})
}

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
