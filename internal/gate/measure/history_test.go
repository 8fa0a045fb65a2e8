package measure

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func TestHistory(t *testing.T) {
	m := newModule(t)
	commit := func(subject string) {
		t.Helper()
		m.git("commit", "--quiet", "--allow-empty", "--message", subject)
	}
	m.git("tag", "first")
	main := m.git("symbolic-ref", "--short", "HEAD")
	m.git("checkout", "--quiet", "-b", "branch")
	commit("on the branch")
	m.git("checkout", "--quiet", main)
	commit("on main: with a colon\n\nand a body")
	m.git("merge", "--quiet", "--no-ff", "--message", "the merge", "branch")
	commit("last")
	dir := filepath.Join(m.dir, "sub")
	h, err := ReadHistory(t.Context(), dir, "first", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range h.Commits {
		got = append(got, c.Name+"|"+c.Subject+"|"+c.Author)
		if len(c.Hash) != 40 || len(c.Date) != len("2006-01-02") || c.Short() != c.Hash[:12] {
			t.Errorf("%+v", c)
		}
	}
	want := []string{"first|a|a", "|on main: with a colon|a", "|the merge|a", "HEAD|last|a"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || h.Directory != "sub" {
		t.Errorf("%q in %s", got, h.Directory)
	}
	if last := h.Commits[3]; last.String() != "HEAD ("+last.Hash[:12]+")" ||
		h.Commits[1].String() != h.Commits[1].Hash[:12] {
		t.Errorf("%v, %v", last, h.Commits[1])
	}
	m.git("checkout", "--quiet", "--orphan", "other")
	commit("of another root")
	for _, c := range []struct{ from, to, want string }{
		{main, main + "~0", "are the same commit"},
		{main, "first", "first is older than " + main},
		{main + "~2", "branch", "is not an ancestor of branch: their common ancestor is " +
			h.Commits[0].Short()},
		{"first", "other", "have no commit in common"},
		{"first", "none", `git finds no revision "none"`},
	} {
		if _, err := ReadHistory(t.Context(), dir, c.from, c.to); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %s", c.from, c.to, err, c.want)
		}
	}
}

// Options.Rule must not apply to controls.
func TestRule(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	m := newModule(t)
	m.write("sub/m_test.go", fmt.Sprintf(benchmarks, 1300))
	o := m.options()
	o.Layouts, o.Bench, o.Metrics = 1, Only("A"), []string{"sec/op"}
	gate := func(threshold float64) *verdict.Report {
		t.Helper()
		rule := o.Judge
		rule.Margin, rule.Promise = threshold, threshold
		o.Rule = &rule
		r, err := Gate(t.Context(), o, &quiet{})
		if err != nil {
			t.Fatal(err)
		}
		m.clean()
		if len(r.Rows) != 1 || len(r.Unclear) > 0 || r.Margin != threshold {
			t.Fatalf("%+v", r)
		}
		return r
	}
	if r := gate(0.4); r.Rows[0].Verdict != verdict.NotSuspected {
		t.Errorf("30 %% against a threshold of 40 %%: %s", r.Rows[0].Verdict)
	}
	o.Force = true
	if r := gate(0.2); r.Rows[0].Verdict != verdict.Worse {
		t.Errorf("30 %% against a threshold of 20 %%: %s", r.Rows[0].Verdict)
	}
	before, err := readPlan(o.Out)
	if err != nil || before.Judge.Margin != 0.2 {
		t.Errorf("the plan has %+v, %v", before.Judge, err)
	}
	o.Force, o.Resume = false, true
	o.Judge.FreshPairs += 3
	if _, err := Gate(t.Context(), o, &quiet{}); err != nil {
		t.Errorf("the rule is the same: %v", err)
	}
	o.AnyPairs = true
	r := gate(0.2)
	if want := o.Judge.ScreenPairs + o.Judge.FreshPairs; len(r.Pairs[0].Old) != want {
		t.Errorf("%d pairs, want %d", len(r.Pairs[0].Old), want)
	}
	o.AnyPairs = false
	rule := *o.Rule
	rule.FreshPairs++
	o.Rule = &rule
	if _, err := Gate(t.Context(), o, &quiet{}); err == nil ||
		!strings.Contains(err.Error(), "freshpairs was 9, and now is 10") {
		t.Errorf("more pairs without leave: %v", err)
	}
}
