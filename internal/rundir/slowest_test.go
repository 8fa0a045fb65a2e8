package rundir

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func someSlow(t *rapid.T) (tasks []SlowTask) {
	at := rapid.Map(rapid.Int64Range(0, int64(2*time.Hour)), func(ns int64) time.Duration {
		return time.Duration(ns)
	})
	for i := range rapid.IntRange(0, 9).Draw(t, "tasks") {
		s := SlowTask{Task: i, Due: at.Draw(t, "due"), Lag: at.Draw(t, "lag"),
			Blocked: at.Draw(t, "blocked"), Queued: at.Draw(t, "queued"), Between: at.Draw(t, "between"),
			Service: at.Draw(t, "service"), Target: at.Draw(t, "target"), Outcome: "completed",
			Class:    rapid.String().Draw(t, "class"),
			Attempts: rapid.IntRange(0, 3).Draw(t, "attempts"),
			InFlight: rapid.IntRange(Unknown, 9).Draw(t, "in flight"),
			Trace:    rapid.StringMatching("([0-9a-f]{32})?").Draw(t, "trace"),
			Waiting:  rapid.IntRange(Unknown, 9).Draw(t, "waiting")}
		s.Issue = s.Due + s.Lag
		if s.Attempts > 0 {
			s.Accepted, s.Start = s.Issue+s.Blocked, s.Issue+s.Blocked+s.Queued
		}
		s.End = s.Due + s.Lag + s.Blocked + s.Queued + s.Between + s.Service
		tasks = append(tasks, s)
	}
	return tasks
}

func TestSlowestRows(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := someSlow(t)
		for i := range want { // CSV reads a carriage return and newline as one character
			want[i].Class = strings.ReplaceAll(want[i].Class, "\r", "")
		}
		const name = "Run/a=\"1,2\"/=HYPERLINK('x')"
		var text strings.Builder
		rows := append([][]string{SlowestColumns}, SlowestRows(name, 3, want)...)
		if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if len(row) != len(SlowestColumns) {
				t.Fatalf("%d fields for %d columns", len(row), len(SlowestColumns))
			}
		}
		path := filepath.Join(dir, "slowest.csv")
		if err := os.WriteFile(path, []byte(text.String()+"half a li"), 0o666); err != nil {
			t.Fatal(err)
		}
		var got []SlowTask
		cut, err := EachSlowest(path,
			func(run string, n int) bool { return run == name && n == 3 },
			func(_ string, _ int, task SlowTask) { got = append(got, task) })
		if err != nil || !cut || !slices.Equal(got, want) {
			t.Fatalf("%v, cut %v:\n%+v\nwant\n%+v", err, cut, got, want)
		}
		bursts, of := Bursts(want)
		total := 0
		for i, a := range want {
			for j, b := range want {
				if a.Due <= b.Due && b.Due <= a.End && of[i] != of[j] {
					t.Fatalf("%v to %v and %v to %v are of two bursts", a.Due, a.End, b.Due, b.End)
				}
			}
			if a.Due < bursts[of[i]].Start {
				t.Fatalf("due at %v, before its burst at %v", a.Due, bursts[of[i]].Start)
			}
		}
		for i, b := range bursts {
			if total += b.Tasks; i > 0 && b.Start <= bursts[i-1].Start {
				t.Fatalf("%v is no order", bursts)
			}
		}
		if total != len(want) {
			t.Fatalf("%d of %d tasks are of a burst", total, len(want))
		}
	})
}

func FuzzSlowest(f *testing.F) {
	f.Add("0", "1.000000002", "")
	f.Add("-1", "-0.000000001", "9999999999.000000000")
	f.Add("x", "1.5", "1e9")
	f.Fuzz(func(t *testing.T, number, instant, other string) {
		row := make([]string, len(SlowestColumns))
		for i := range row {
			switch {
			case strings.HasSuffix(SlowestColumns[i], "-sec"):
				row[i] = instant
			default:
				row[i] = number
			}
		}
		row[4] = other
		run, n, task, err := ParseSlowestRow(row)
		if err != nil {
			return
		}
		again, m, same, err := ParseSlowestRow(SlowestRows(run, n, []SlowTask{task})[0])
		if task.Attempts == 0 {
			task.Start = 0
		}
		if err != nil || again != run || m != n || same != task {
			t.Fatalf("%+v is written as %+v: %v", task, same, err)
		}
	})
}

func TestNoSlowest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slowest.csv")
	whole := SlowestRows("Run/a", 0, []SlowTask{{Attempts: 1}})[0]
	for want, change := range map[string]func([]string) []string{
		"columns":    func(row []string) []string { return row[3:] },
		"due-sec":    func(row []string) []string { row[3] = "soon"; return row },
		"repetition": func(row []string) []string { row[1] = "1.5"; return row },
		"end-sec":    func(row []string) []string { row[7] = "92233720369.000000000"; return row },
	} {
		text := strings.Join(SlowestColumns, ",") + "\n" +
			strings.Join(change(slices.Clone(whole)), ",") + "\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := EachSlowest(path, func(string, int) bool { return true },
			func(string, int, SlowTask) {})
		if err == nil || !strings.Contains(err.Error(), path+":2: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// Rows without traces, of an older version, must be readable.
func TestSlowestBefore(t *testing.T) {
	want := SlowTask{Attempts: 1, Outcome: "completed"}
	row := SlowestRows("Run/a", 2, []SlowTask{want})[0]
	run, n, got, err := ParseSlowestRow(row[:columnsBefore])
	if err != nil || run != "Run/a" || n != 2 || got != want {
		t.Errorf("%s %d %+v, error %v", run, n, got, err)
	}
}
