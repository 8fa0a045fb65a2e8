package traces

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const sampleHAR = `{
  "log": {"version": "1.2", "pages": [{"id": "entries"}],
    "entries": [
      {"startedDateTime": "2026-05-01T09:00:00.250Z", "time": 1.5,
       "request": {"method": "GET", "url": "http://a/"}, "response": {"status": 200}},
      {"time": 20, "startedDateTime": "2026-05-01T11:00:01.250000001+02:00",
       "request": {"method": "POST", "url": "http://b/"}, "response": {"status": 503,
       "content": {"text": "{\"log\": []}"}}}
    ], "comment": ""}}`

// sampleVegeta are the two tasks of TestFormats in vegeta's encodings. A test of bench/attack reads
// what vegeta itself writes.
func sampleVegeta(t testing.TB) map[string]string {
	t.Helper()
	type Result struct {
		Attack            string
		Seq               uint64
		Code              uint16
		Timestamp         time.Time
		Latency           time.Duration
		BytesOut, BytesIn uint64
		Error             string
		Body              []byte
		Method, URL       string
		Headers           map[string][]string
	}
	first := time.Date(2026, 5, 1, 9, 0, 0, 250_000_000, time.UTC)
	var b strings.Builder
	encoder := gob.NewEncoder(&b)
	for i, latency := range []time.Duration{1_500_000, 20_000_000} {
		if err := encoder.Encode(Result{"a", uint64(i), 200,
			first.Add(time.Duration(i) * 1_000_000_001), latency, 1, 2, "", []byte("x"), "GET",
			"http://a/", map[string][]string{"A": {"b"}}}); err != nil {
			t.Fatal(err)
		}
	}
	at, second := first.UnixNano(), first.UnixNano()+1_000_000_001
	const line = `{"attack":"","seq":%d,"code":200,"timestamp":"%s","latency":%d,"bytes_out":0,` +
		`"bytes_in":12,"error":"","body":"eA==","method":"GET","url":"http://a/","headers":{}}` + "\n"
	return map[string]string{
		"gob": b.String(),
		"CSV": fmt.Sprintf("%d,200,1500000,0,12,\"a \"\"b\"\",\",eA==,\"a,b\",0,GET,http://a/,eA==\n"+
			"%d,200,20000000,0,12,,eA==,,1,GET,http://a/,eA==\n", at, second),
		"JSON": fmt.Sprintf(line, 0, "2026-05-01T11:00:00.25+02:00", 1_500_000) +
			fmt.Sprintf(line, 1, "2026-05-01T11:00:01.250000001+02:00", 20_000_000),
	}
}

// TestRows: archives and vegeta's results say the same two tasks, by names and by numbers.
func TestRows(t *testing.T) {
	first := time.Date(2026, 5, 1, 9, 0, 0, 250_000_000, time.UTC).UnixNano()
	want := []Record{{first, 1_500_000}, {first + 1_000_000_001, 20_000_000}}
	check := func(what, text, at, took string) {
		t.Helper()
		got, err := readText(Source{Time: at, Duration: took}, text)
		if err != nil || !slices.Equal(got.Records, want) || got.Notes != nil {
			t.Errorf("%s, columns %s and %s: %+v, %v; want %v", what, at, took, got, err, want)
		}
	}
	check("HAR", sampleHAR, "startedDateTime", "time")
	check("HAR", "\ufeff"+sampleHAR, "1", "2")
	const objects = ` [
  {"at": "2026-05-01T09:00:00.250Z", "took": "1.5ms"},
  {"took": 0.02, "at": "2026-05-01T11:00:01.250000001+02:00"}]`
	check("array", objects, "at", "took")
	check("array in a line", strings.ReplaceAll(objects, "\n", ""), "at", "took")
	for encoding, text := range sampleVegeta(t) {
		check(encoding, text, "timestamp", "latency")
		if encoding != "JSON" {
			check(encoding, text, "1", "3")
		}
	}
	old := fmt.Sprintf("%d,200,1500000,0,12,,eA==,,0\n%d,200,20000000,0,12,,eA==,,1\n", first,
		first+1_000_000_001)
	check("CSV of an older vegeta", old, "timestamp", "latency")
	// a column of that name in other JSON lines has no unit of its own: seconds
	check("JSON lines", fmt.Sprintf(`{"timestamp":%d,"latency":0.0015}`+"\n"+
		`{"timestamp":%d,"latency":"20ms"}`, first, first+1_000_000_001), "timestamp", "latency")
	got, err := readText(Source{Time: "log", Duration: "took"}, `{"log":"1","took":1}`+"\n"+
		`{"log":"2","took":1}`)
	if err != nil || len(got.Records) != 2 {
		t.Errorf("JSON lines with a member log: %v, %v", got, err)
	}
}

func TestBadRows(t *testing.T) {
	gob := sampleVegeta(t)["gob"]
	for text, want := range map[string]string{
		strings.Replace(sampleHAR, "20", "-1", 1): `entry 1: want a time such as`,
		strings.Replace(sampleHAR, `"time": 20,`, `"time": -1,`, 1): `entry 2: want a duration such ` +
			`as 1.5ms, or milliseconds such as 1.5, got "-1"`,
		strings.Replace(sampleHAR, `"time": 20,`, ``, 1):     `entry 2: want a duration`,
		strings.Replace(sampleHAR, `"time": 20`, `"time`, 1): `entry 2: invalid character`,
		sampleHAR[:len(sampleHAR)-30]:                        "entry 2: unexpected EOF",
		sampleHAR[:len(sampleHAR)/2]:                         "entry 2: unexpected EOF",
		`{"log": {"x": "entries", "entries": {}}}`:           "entry 1: log.entries is no array",
		`{"log": {"x": {"entries": []}}}`:                    `entry 1: the object has no "entries"`,
		`{"log": {"entries": []}}`:                           "no records",
		`[{"1":0,"2":1},{"1":1,"2":1}`:                       "element 3: unexpected EOF",
		`[{"1":0,"2":1},7]`:                                  "element 2: no JSON object",
		`[{"1":0,"2":1},{"1":1}]`:                            `element 2: the object has no "2"`,
		gob[:len(gob)-5]:                                     "result 2: unexpected EOF",
		gob + gob:                                            "result 3: gob: duplicate type received",
		gob[:300] + strings.Repeat("x", 5000):                "result ",
	} {
		s := Source{Time: "1", Duration: "2"}
		if text[0] != '{' && text[0] != '[' {
			s.Duration = "3"
		}
		_, err := readText(s, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: %v; want %s", text, err, want)
		}
	}
	for column, want := range map[string]string{"6": "entry 1: no column 6, there are 5",
		"at": `no column is named "at"; the line has ` +
			"startedDateTime, time, method, status and url"} {
		_, err := readText(Source{Time: column}, sampleHAR)
		if err == nil || err.Error() != want {
			t.Errorf("column %s: %v; want %s", column, err, want)
		}
	}
	_, err := Source{File: t.TempDir(), Time: "1"}.Read()
	if err == nil || !strings.Contains(err.Error(), "keeps histograms, and no task's own times") {
		t.Error(err)
	}
}

// endless is an archive of entries with large bodies, or of one entry without an end.
type endless struct {
	entries, body int
	rest          string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.entries == 0 {
			return 0, io.EOF
		}
		e.rest = strings.Repeat("x", 1<<16)
		if e.body--; e.body == 0 {
			e.entries--
			e.body = 32
			e.rest = fmt.Sprintf(`"},{"startedDateTime":%q,"time":1,"body":"`,
				fmt.Sprint(1e9+e.entries))
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestRowsAreStreamed: memory does not grow with the bodies, and an endless entry is refused.
func TestRowsAreStreamed(t *testing.T) {
	const begin = `{"log":{"entries":[{"startedDateTime":"999999999","body":"`
	s := Source{Time: "1"}
	var before, after runtime.MemStats
	runtime.GC() // what other tests have left
	runtime.ReadMemStats(&before)
	e := &endless{entries: 30, body: 32}
	got, err := s.read(io.MultiReader(strings.NewReader(begin), e, strings.NewReader(`"}]}}`)), 0)
	runtime.ReadMemStats(&after)
	if err != nil || len(got.Records) != 31 {
		t.Errorf("%v, %v", got, err)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
		t.Errorf("60 MiB of entries take %d MiB", grown>>20)
	}
	e = &endless{entries: 1, body: 1 << 20}
	_, err = s.read(io.MultiReader(strings.NewReader(begin), e), 0)
	if err == nil || err.Error() != "entry 1: longer than 64 MiB" {
		t.Error(err)
	}
}

// TestMemory: room for the records is asked for once, by what the file's first part tells, gzip or
// not.
func TestMemory(t *testing.T) {
	var text, zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&text, "%d,x%d\n", int64(1_777_626_000_000)+int64(i), i*7919%n)
	}
	_, _ = w.Write(text.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{text.Bytes(), zipped.Bytes()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Source{Time: "1"}.read(bytes.NewReader(file), int64(len(file)))
		runtime.ReadMemStats(&after)
		if err != nil || len(got.Records) != n {
			t.Fatal(err)
		}
		most := uint64(1.2*16*n) + 8<<20 // two buffers of 1 MiB, and the first part as it grows
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > most {
			t.Errorf("%d bytes, want at most %d", bytes, most)
		}
	}
}
