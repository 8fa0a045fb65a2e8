package peers_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

const nestedPage = "../../docs/measured/nested.md"

// nestedTrees are the columns of docs/measured/nested.md.
var nestedTrees = []strategytest.Tree{{Roots: 1, Width: 1, Levels: 3, Waits: true},
	{Roots: 1, Width: 4, Levels: 1, Waits: true}, {Roots: 1, Width: 2, Levels: 3, Waits: true},
	{Roots: 1, Width: 3, Levels: 2}}

// A nester is a group of strategies with the same smallest limits for nestedTrees.
type nester struct {
	names  []string
	limits []strategytest.Nesting
}

func (n nester) safe() bool {
	for i, tree := range nestedTrees {
		if l := n.limits[i]; tree.Waits && (l.Limit == 0 || l.Limit > tree.Enough()) {
			return false
		}
	}
	return true
}

func (n nester) cells() string {
	var all []string
	for _, l := range n.limits {
		cell := l.String()
		if l.Refuses {
			cell += " (refuses)"
		}
		all = append(all, cell)
	}
	return strings.Join(all, " | ")
}

// nesters groups the strategies, largest group first.
func nesters(t *testing.T) (all []nester) {
	for _, s := range strategies.All() {
		if s.RealClock {
			continue
		}
		n := nester{names: []string{s.Name}}
		for _, tree := range nestedTrees {
			limit, err := strategytest.SmallestLimit(s, tree)
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			n.limits = append(n.limits, limit)
		}
		at := slices.IndexFunc(all, func(o nester) bool { return o.cells() == n.cells() })
		if at < 0 {
			all = append(all, n)
			continue
		}
		all[at].names = append(all[at].names, s.Name)
	}
	slices.SortStableFunc(all, func(a, b nester) int {
		return cmp.Compare(len(b.names), len(a.names))
	})
	return all
}

// TestNestedPage checks the claim that a task may submit tasks if there are enough workers.
// Scenarios cannot test it, because a run plans its tasks in advance. -update (make generate)
// writes docs/measured/nested.md.
func TestNestedPage(t *testing.T) {
	text, err := os.ReadFile(nestedPage)
	if err != nil {
		t.Fatal(err)
	}
	all, want := nesters(t), string(text)
	for mark, made := range map[string]string{"verdict": nestedVerdict(all),
		"limits": nestedTable(all)} {
		between := regexp.MustCompile(`(?s)(<!-- ` + mark +
			`: made by make generate -->\n).*?(<!-- end -->\n)`)
		if n := len(between.FindAllString(want, -1)); n != 1 {
			t.Fatalf("%d marks of %s", n, mark)
		}
		want = between.ReplaceAllString(want, "${1}"+made+"${2}")
	}
	if *update {
		if err := os.WriteFile(nestedPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := gocmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/measured/nested.md is behind the sources: make generate\n%s", diff)
	}
}

func nestedVerdict(all []nester) string {
	var safe int
	var never, refuse, other []string
	for _, n := range all {
		switch last := n.limits[2]; {
		case n.safe():
			safe += len(n.names)
		case last.Limit == 0:
			never = append(never, n.names...)
		case last.Refuses:
			refuse = append(refuse, n.names...)
		default:
			other = append(other, n.names...)
		}
	}
	verdict := "**It depends on the strategy**"
	switch unsafe := len(never) + len(refuse) + len(other); {
	case unsafe == 0:
		verdict = "**It holds**"
	case safe == 0:
		verdict = "**It does not hold**"
	}
	out := fmt.Sprintf("%s: of %d strategies and libraries, %d complete every tree at the limit "+
		"that is enough and at each limit above it",
		verdict, safe+len(never)+len(refuse)+len(other), safe)
	for _, some := range []struct {
		names []string
		how   string
	}{{never, "do not complete all of them at any limit"},
		{refuse, "refuse tasks unless there is a slot for every task in the system"},
		{other, "need more"}} {
		if len(some.names) > 0 {
			slices.Sort(some.names)
			out += fmt.Sprintf(";\n%s %s", strings.Join(some.names, ", "), some.how)
		}
	}
	return out + ".\n"
}

func nestedTable(all []nester) string {
	var out strings.Builder
	out.WriteString("|")
	enough := "| *enough, in a first-in-first-out pool* |"
	for _, tree := range nestedTrees {
		if !tree.Waits {
			out.WriteString(" submits |")
			enough += " – |"
			continue
		}
		fmt.Fprintf(&out, " w = %d, d = %d |", tree.Width, tree.Levels)
		enough += fmt.Sprintf(" *%d* |", tree.Enough())
	}
	head := out.String()
	out.Reset()
	fmt.Fprintf(&out, "| strategies %s\n|---|%s\n%s\n", head,
		strings.Repeat("--:|", len(nestedTrees)), enough)
	for _, n := range all {
		fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(n.names, ", "), n.cells())
	}
	return out.String()
}
