package measure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// regressions returns the additional work of the head in percent. The slower benchmarks vary by
// gate.
func (s suite) regressions(gate int) map[string]int {
	all := s.names()
	more := map[string]int{}
	for i, percent := range []int{10, 10, 20, 20} {
		more[all[(7*gate+i*5)%len(all)]] = percent
	}
	return more
}

type trial struct {
	options   options
	unchanged tally         // unchanged benchmarks, in gates of unchanged code
	beside    tally         // unchanged benchmarks, in gates with regressions
	more      map[int]tally // by additional work in percent
	untrusted int
	gates     int
	failed    int           // gates of unchanged code that reported worse
	open      int           // undecided gates of unchanged code
	took      [2][]gateTime // of gates of unchanged code, and of the others
	pairs     int
}

type tally struct{ worse, inconclusive, other int }

func (t tally) of() int { return t.worse + t.inconclusive + t.other }

func (t *tally) count(verdict string) {
	switch verdict {
	case "worse":
		t.worse++
	case "inconclusive":
		t.inconclusive++
	default:
		t.other++
	}
}

type document struct {
	Exit int
	Rows []struct {
		Benchmark, Metric, Verdict string
		Ratio, Low, High           float64
		New                        struct{ N int }
	}
	Faults []string
	Spent  gateTime
}

type gateTime struct{ Whole, Measuring float64 }

func (o options) try(t *testing.T) *trial {
	dir, source := t.TempDir(), t.TempDir()
	changes := map[string]map[string]int{"same": nil}
	for i := range o.changed {
		changes["more"+strconv.Itoa(i)] = o.suite.regressions(i)
	}
	m, err := newModule(t.Context(), o.suite, source, changes)
	if err != nil {
		t.Fatal(err)
	}
	all := &trial{options: o, more: map[int]tally{}}
	for i := range o.unchanged + o.changed {
		head, more := "same", map[string]int(nil)
		if i >= o.unchanged {
			head, more = "more"+strconv.Itoa(i-o.unchanged), o.suite.regressions(i-o.unchanged)
		}
		d, err := o.gate(t.Context(), m, head, filepath.Join(dir, strconv.Itoa(i)), o.seed+i)
		if err != nil {
			t.Fatal(err)
		}
		kind := min(len(more), 1)
		all.took[kind] = append(all.took[kind], d.Spent)
		all.take(d, more)
		fmt.Fprintf(os.Stderr,
			"gate %d of %d, against %s: exit code %d, %.0f s, of which %.0f s measuring%s\n", i+1,
			o.unchanged+o.changed, head, d.Exit, d.Spent.Whole, d.Spent.Measuring, d.wrong(more))
	}
	return all
}

func (o options) gate(
	ctx context.Context, m module, head, out string, seed int,
) (d document, err error) {
	cmd := exec.CommandContext(ctx, o.poolbench, "gate", "--base", "base", "--head", head,
		"--benchtime", o.runTime.String(), "--seed", strconv.Itoa(seed),
		"--metric", "sec/op", "--format", "json", "--quiet", "--out", out)
	cmd.Dir = m.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failure := cmd.Run()
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
		return d, fmt.Errorf("the gate against %s: %w\n%s", head,
			errors.Join(failure, err), stderr.String())
	}
	return d, os.RemoveAll(out)
}

func (d document) wrong(more map[string]int) (text string) {
	for _, row := range d.Rows {
		if slower := more[row.Benchmark] > 0; slower != (row.Verdict == "worse") ||
			row.Verdict == "inconclusive" {
			text += fmt.Sprintf("; %s (%d %% more) is %s: %+.1f %% (%+.1f to %+.1f)", row.Benchmark,
				more[row.Benchmark], row.Verdict, 100*(row.Ratio-1), 100*(row.Low-1),
				100*(row.High-1))
		}
	}
	return text
}

func (t *trial) take(d document, more map[string]int) {
	t.gates++
	if d.Exit == 2 {
		t.untrusted++
	}
	var same tally
	for _, row := range d.Rows {
		t.pairs = max(t.pairs, row.New.N)
		if percent := more[row.Benchmark]; percent > 0 {
			of := t.more[percent]
			of.count(row.Verdict)
			t.more[percent] = of
			continue
		}
		same.count(row.Verdict)
	}
	to := &t.unchanged
	if more != nil {
		to = &t.beside
	} else if same.worse > 0 {
		t.failed++
	} else if same.inconclusive > 0 {
		t.open++
	}
	to.worse, to.inconclusive, to.other = to.worse+same.worse, to.inconclusive+same.inconclusive,
		to.other+same.other
}
