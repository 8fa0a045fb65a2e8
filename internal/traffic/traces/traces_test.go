package traces

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

func readText(s Source, text string) (*Trace, error) {
	return s.read(strings.NewReader(text), int64(len(text)))
}

func TestFormats(t *testing.T) {
	first := time.Date(2026, 5, 1, 9, 0, 0, 250_000_000, time.UTC).UnixNano()
	want := []Record{{first, 1_500_000}, {first + 1_000_000_001, 20_000_000}}
	for name, c := range map[string]struct {
		time, took string
		text       string
	}{
		"CSV with names": {"at", "took",
			"\ufeffat,took\r\n2026-05-01T09:00:00.25Z,1.5ms\r\n2026-05-01T09:00:01.250000001Z,0.02\r\n"},
		"CSV with names, by number": {"1", "2",
			"at,took\n2026-05-01T09:00:00.25Z,1.5ms\n2026-05-01T09:00:01.250000001Z,0.02"},
		"quoted": {"2", "1", "# a note\n\n\"1.5ms\",\"2026-05-01 11:00:00,25+02:00\",\"a\"\"b,c\"\n" +
			"20ms,2026-05-01T09:00:01.250000001,\n"},
		"quoted comma before": {"2", "3", "\"a\"\"b,c\",1777626000.25,0.0015\nx,1777626001.250000001,2e-2\n"},
		"TSV":                 {"2", "3", "x\t1777626000.25\t0.0015\ny\t1777626001.250000001\t0.02\n"},
		"semicolons":          {"1", "2", "1777626000.25;1.5ms\n1777626001.250000001;20ms\n"},
		"milliseconds":        {"1", "2", "1777626000250,1.5ms\n1777626001250.000001,20ms\n"},
		"microseconds":        {"1", "2", "1777626000250000,1.5ms\n1777626001250000.001,20ms\n"},
		"nanoseconds":         {"1", "2", "1777626000250000000,1.5ms\n1777626001250000001,20ms\n"},
		"JSON lines": {"at", "took", `{"x":{"at":[1,"}"]},"at": "2026-05-01T09:00:00.25Z", "took":0.0015}` +
			"\n" + `{"t\u006fok" : "20ms","at":1777626001.250000001 }` + "\n"},
	} {
		got, err := readText(Source{Time: c.time, Duration: c.took}, c.text)
		if err != nil || !slices.Equal(got.Records, want) || got.Notes != nil {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, want)
		}
	}
	const log = `10.0.0.1 - - [01/May/2026:11:00:02 +0200] "GET /a \"b] c HTTP/1.1" 200 12 "-" "x y" 0.500` +
		"\n" + `10.0.0.1 - u [01/May/2026:11:00:02 +0200] "GET / HTTP/1.1" 200 12 "-" "[z" 2.000` + "\n"
	got, err := readText(Source{Time: "time_local", Duration: "request_time", End: true}, log)
	nine := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	want = []Record{{nine, 2e9}, {nine + 15e8, 5e8}}
	if err != nil || !slices.Equal(got.Records, want) || got.zone != int64(2*time.Hour) {
		t.Errorf("access log: %+v, %v; want %v", got, err, want)
	}
	if want := []string{"line 2: earlier than the record before, by up to 1.5s: sorted"}; err == nil &&
		!slices.Equal(got.Notes, want) {
		t.Errorf("notes %q, want %q", got.Notes, want)
	}
}

func TestDates(t *testing.T) {
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2100; at = at.Add(
		13*24*time.Hour + 7*time.Hour + 11*time.Minute + 5*time.Second) {
		for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "02/Jan/2006:15:04:05 -0700"} {
			zoned := at.In(time.FixedZone("", -34_200))
			got, ok := new(clock).parse([]byte(zoned.Format(layout)))
			if zoned.Year() >= 1970 && (!ok || got != at.UnixNano()) {
				t.Fatalf("%s: %d, %v; want %d", zoned.Format(layout), got, ok, at.UnixNano())
			}
		}
	}
}

// Formats of pandas, R, Python's logging and BigQuery.
func TestSpreadsheets(t *testing.T) {
	second := []Record{{1777626000e9, 0}, {1777626001e9, 0}}
	for _, text := range []string{
		"at\n2026-05-01 09:00:00 UTC\n2026-05-01 11:00:01 +0200\n",
		"at\n1.777626000e+12\n1.777626001E12\n",
		"at\n1.777626e+18\n1.777626001e+18\n",
		"at,took\n2026-05-01T09:00:00Z,1,\n2026-05-01T09:00:01Z,1, ,\n",
	} {
		got, err := readText(Source{Time: "at"}, text)
		if err != nil || !slices.Equal(got.Records, second) || got.Notes != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"at,took\n2026-05-01 09:00:00,123,1.5\n": `line 2: field 3, "1.5", has no name in the ` +
			"first line; a ',' within a field wants quotes",
		"at;took\n1;2;3\n":            `line 2: field 3, "3", has no name`,
		"at,took\n1,\"2,3\"\n2,3,4\n": `line 3: field 3, "4", has no name`,
		",time\n0,2026-05-01\n": `line 1: want a time such as 2026-05-01T09:00:00.25Z or ` +
			`1777626000.25, got ""; the columns are time`,
		`h - - [01/May/2026:11:00:02 +0200] "GET" 200`: `line 1: want a time such as ` +
			`2026-05-01T09:00:00.25Z or 1777626000.25, got "h"; the columns are remote_addr, ` +
			"ident, remote_user, time_local, request",
	} {
		column := "1"
		if strings.HasPrefix(text, "at") {
			column = "at"
		}
		_, err := readText(Source{Time: column}, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	for text, want := range map[string][]string{
		"id,time,took\n0,a,1\n1,b,1\n2,c,1\n": {"column 1: 0, 1, 2 and so on, as in numbered " +
			"lines; the others are time and took"},
		"id,time\n5,a\n6,b\n7,c\n": nil,
		"id\n0\n1\n2\n":            nil,
		"minute,count\n60,4\n120,0\n180,9\n": {"column 1: each 1m0s after the one before, as in " +
			"counts per interval; each line is read as one task; the others are count"},
		"at,n\n1777626000,4\n1777626001,0\n1777626002,9\n": {"column 1: each 1s after the one " +
			"before, as in counts per interval; each line is read as one task; the others are n"},
		"minute\n60\n120\n180\n":     nil,
		"id,time\n1,a\n2,b\n3.5,c\n": nil,
	} {
		got, err := readText(Source{Time: "1"}, text)
		if err != nil || !slices.Equal(got.Notes, want) {
			t.Errorf("%q: %q, %v; want %q", text, got.Notes, err, want)
		}
	}
}

func TestNotes(t *testing.T) {
	got, err := readText(Source{Time: "1"}, "5\n5\n1\n# no record\n7\n6.5\n7\n")
	want := []string{
		"line 3 and 1 more: earlier than the record before, by up to 4s: sorted",
		"line 2 and 1 more: the same time as the record before"}
	if err != nil || !slices.Equal(got.Notes, want) {
		t.Errorf("%v, %v; want %v", got.Notes, err, want)
	}
	const whole = "all times are whole seconds: gaps and bursts below a second come from the " +
		"rounding"
	for _, c := range []struct {
		from Source
		text string
		want bool
	}{
		{Source{Time: "1"}, "5\n5\n7\n", true},
		{Source{Time: "1"}, "5\n6\n7\n", false}, // no two at the same time, so no rounding
		{Source{Time: "1"}, "5\n5\n7.5\n", false},
		{Source{Time: "1", Duration: "2", End: true}, "5,0.25\n5,0.25\n7,1.5\n", true},
	} {
		if got, err := readText(c.from, c.text); err != nil ||
			slices.Contains(got.Notes, whole) != c.want {
			t.Errorf("%q: %v, %v", c.text, got.Notes, err)
		}
	}
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintln(&b, i/100*100_000+i)
	}
	got, err = readText(Source{Time: "1"}, b.String())
	want = []string{"record 101: comes after a gap of 27h46m41s, 198 times the mean"}
	if err != nil || !slices.Equal(got.Notes, want) {
		t.Errorf("%v, %v; want %v", got.Notes, err, want)
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no records",
		"# nothing\n":                           "no records",
		"at,took\n":                             "no records",
		"1,1ms\n":                               "only one record: want at least two",
		"1,1ms\n1e18,1ms\n":                     "line 2: ",
		"1,1ms\n1000000000,1s\n":                "line 2: more than ten years from the first record",
		"2150-01-01T00:00:00Z,1s\n":             `line 1: "2150-01-01T00:00:00Z" is a date after`,
		"9150-01-01T00:00:00Z,1s\n":             `line 1: "9150-01-01T00:00:00Z" is a date after`,
		"1,1ms\n2,x\n":                          `line 2: want a duration such as`,
		"1,1ms\n2,-1\n":                         `line 2: want a duration such as`,
		"1,1ms\n2\n":                            `line 2: no column 2, the line has 1`,
		"1,1ms\n-2,1ms\n":                       `line 2: want a time such as`,
		"1,1ms\n\"2,1ms\n":                      `line 2: missing " at the end of a field`,
		"1,1ms\n2026-13-01T00:00:00Z,1s\n":      `line 2: want a time such as`,
		"\x7fELF\x00\x01":                       "line 1: binary, want text",
		"1,1ms\n" + strings.Repeat("x", 40<<20): "line 2: longer than 1 MiB",
		"\x1f\x8b\x08\x00":                      "unexpected EOF",
		`{"1":1,"a":3}`:                         `line 1: the object has no "2"; it has "1" and "a"`,
		`{}`:                                    `line 1: the object has no "1"`,
		`{"1":}`:                                `line 1: want a JSON object on each line`,
		`{"1":1,"2":`:                           `line 1: want a JSON object on each line`,
		`[{"1":1,"2":1},{"1":2,"2":1}]`:         `line 1: want a JSON object on each line`,
		"[\n{\"1\":1},\n{\"1\":2}]":             `line 1: want a JSON object on each line`,
		"1,1ms\n" + strings.Repeat("9", 400) + ",1ms\n": `line 2: want a time such as`,
	} {
		_, err := readText(Source{Time: "1", Duration: "2"}, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v; want %s", text, err, want)
		}
	}
	for column, want := range map[string]string{"0": "line 1: column 0: want 1 or more, or a name",
		"3": "line 1: no column 3, the line has 2", "at": `line 1: no column is named "at"`} {
		_, err := readText(Source{Time: column}, "1,1ms\n2,2ms\n")
		if err == nil || err.Error() != want {
			t.Errorf("column %s: %v; want %s", column, err, want)
		}
	}
}

func TestDirectory(t *testing.T) {
	_, err := Source{File: t.TempDir(), Time: "1"}.Read()
	if err == nil || !strings.Contains(err.Error(), "run directories contain histograms, and no times of single tasks") {
		t.Error(err)
	}
}

// An unchanged file must not be read again.
func TestGzip(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.gz")
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, "1\n3\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Source{File: file, Time: "1"}
	got, err := s.Read()
	if err != nil || !slices.Equal(got.Records, []Record{{1e9, 0}, {3e9, 0}}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, _ := s.Read(); again != got {
		t.Error("the same file is read again")
	}
	if err := os.WriteFile(file, []byte("1\n3\n4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Read(); err != nil || len(again.Records) != 3 {
		t.Errorf("a file that has changed: %+v, %v", again, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, str := range []string{"", "1,2\n3,4\n", "a,b\n1777626000.25,1ms\n", "1;2\n\"3\";4",
		"{\"1\":1,\"2\":2}\n{\"2\":\"1ms\",\"1\":[{}]}", "\x1f\x8b\x08\x00", "1\t2\r\n",
		`h - - [01/May/2026:11:00:02 +0200] "GET" 200`, "2026-05-01T09:00:00,25+02:00\t1e3"} {
		f.Add(str, "1", "2", false)
		f.Add(str, "a", "b", true)
		f.Add(str, "4", "", false)
		f.Add(str, "", "2", false)
	}
	f.Add(`[{"1":1,"2":2}, {"2":"1ms","1":[{}]}]`, "1", "2", false)
	f.Fuzz(func(t *testing.T, str, at, took string, end bool) {
		s := Source{Time: at, Duration: took, End: end && took != "" && at != ""}
		if end {
			s.Class, s.Labels = took, [MaxLabels]string{at, "", took}
		}
		trace, err := readText(s, str)
		if err != nil {
			if strings.ContainsAny(text.OneLine(err.Error()), "\n\r") {
				t.Errorf("%q", err)
			}
			return
		}
		var before int64
		for i, r := range trace.Records {
			if i > 0 && r.At < before || r.Took() < 0 || s.Class == "" && r.Class() != 0 ||
				s.Class != "" && r.Class() >= len(trace.Classes) {
				t.Fatalf("record %d: %+v after %d", i, r, before)
			}
			if s.Labels[2] != "" && trace.Classes[r.Class()] !=
				trace.Labels[2].Texts[trace.Labels[2].Of[i]] {
				t.Fatalf("record %d: two readings of one column", i)
			}
			before = r.At
		}
		for _, w := range []Window{{"", "", 1, 1}, {"09:00", "1h", 2, 1.5}} {
			p, err := trace.Plan(w)
			if err != nil {
				continue
			}
			got, labels := p.Labelled(1)
			if len(got) != p.Tasks() || !slices.Equal(got, p.Records(1)) {
				t.Fatalf("%d tasks, want %d", len(got), p.Tasks())
			}
			if n := len(labels[0].Of); s.Labels[0] != "" && n != len(got) || labels[1].Of != nil {
				t.Fatalf("%d labels of %d tasks", n, len(got))
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	file := filepath.Join(b.TempDir(), "t.csv")
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	const lines = 10_000_000
	for i := range lines {
		at := time.Unix(1_777_626_000, int64(i)*1_234_567).UTC()
		text = at.AppendFormat(text, "2006-01-02T15:04:05.000000000Z")
		if text = fmt.Appendf(text, ",GET /,0.%06d\n", i%1_000_000); len(text) > 1<<20 {
			if _, err := f.Write(text); err != nil {
				b.Fatal(err)
			}
			text = text[:0]
		}
	}
	if _, err := f.Write(text); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		kept.traces = nil
		t, err := Source{File: file, Time: "1", Duration: "3"}.Read()
		if err != nil || len(t.Records) != lines {
			b.Fatal(err)
		}
	}
}
