package attack_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

func TestEncodedResultsAreRead(t *testing.T) {
	first := time.Date(2026, 5, 1, 9, 0, 0, 250_000_000, time.Local)
	want := []struct{ at, took int64 }{{first.UnixNano(), 1_500_000},
		{first.UnixNano() + 1_000_000_001, 20_000_000}}
	for encoding, c := range map[string]struct {
		encoder    func(io.Writer) vegeta.Encoder
		time, took string
	}{"CSV": {vegeta.NewCSVEncoder, "1", "3"}, "JSON": {vegeta.NewJSONEncoder, "timestamp", "latency"}} {
		file := filepath.Join(t.TempDir(), "results")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		encode := c.encoder(f)
		for _, w := range want {
			if err := encode(&vegeta.Result{Attack: "a,b", Code: 200, Timestamp: time.Unix(0, w.at),
				Latency: time.Duration(w.took), Body: []byte("x\n\"y\""), Method: "GET",
				Headers: http.Header{"A": {"b"}}, URL: "http://a/"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := traces.Source{File: file, Time: c.time, Duration: c.took, Unit: 1}.Read()
		if err != nil || len(got.Records) != len(want) {
			t.Fatalf("%s: %+v, %v; want %v", encoding, got, err, want)
		}
		for i, r := range got.Records {
			if r.At != want[i].at || r.Took() != want[i].took {
				t.Errorf("%s: record %d is %+v, want %v", encoding, i, r, want[i])
			}
		}
	}
}
