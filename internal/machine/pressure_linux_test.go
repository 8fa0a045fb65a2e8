package machine

import "testing"

func TestParseCounters(t *testing.T) {
	if stolen, ticks,
		busy := parseStat("cpu  1 2 3 4 5 6 7 8 100 100\ncpu0 1 1 1 1 1 1 1 1\n"); stolen != 8 ||
		ticks != 36 || busy != 19 {
		t.Errorf("%d stolen and %d working of %d ticks, want 8 and 19 of 36", stolen, busy, ticks)
	}
	if us := parsePressure("some avg10=54.82 avg60=43.23 avg300=41.97 total=5833942018\nfull " +
		"avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"); us != 5833942018 {
		t.Errorf("pressure %d", us)
	}
	if ns := queuedTime([]byte("500706 84306 2\n")); ns != 84306 {
		t.Errorf("queued for %d ns", ns)
	}
	if n := parseWritten("wchar: 5\nwrite_bytes: 12288\ncancelled_write_bytes: 4096\n"); n != 12288 {
		t.Errorf("%d bytes written", n)
	}
	if w, ok := parseSchedstat("500706 84306 2\n"); !ok || w != (threadTime{500706, 84306}) {
		t.Errorf("schedstat %v, %v", w, ok)
	}
}

func FuzzCounters(f *testing.F) {
	for _, text := range []string{"", "cpu", "cpu 1 2 3", "cpu  1 2 3 4 5 6 7 8 9\n",
		"cpu 1 2 x 4 5 6 7 8", "some total=", "some avg10=0 total=-5\n", "full total=7", "1 2 3",
		"-1 5 6", "a b", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stolen, ticks, busy := parseStat(text); ticks == -1 && (stolen != -1 || busy != -1) {
			t.Errorf("parseStat(%q) = %d, %d, %d", text, stolen, ticks, busy)
		}
		if n := parsePressure(text); n < -1 {
			t.Errorf("parsePressure(%q) = %d", text, n)
		}
		if w, ok := parseSchedstat(text); ok && (w.ran < 0 || w.queued < 0) {
			t.Errorf("parseSchedstat(%q) = %v", text, w)
		}
	})
}
