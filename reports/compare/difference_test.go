package compare

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/internal/rundir"
)

func tasksOf(t interface{ Fatal(...any) }, dues []int64, parts []*rundir.Parts) *Tasks {
	packer := rundir.NewTaskPacker(len(dues))
	for i, due := range dues {
		if parts[i] == nil {
			packer.Add(due, false, &rundir.Parts{})
		} else {
			packer.Add(due, true, parts[i])
		}
	}
	packed, err := packer.Pack()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := rundir.UnpackTasks(len(dues), packed)
	if err != nil {
		t.Fatal(err)
	}
	return &Tasks{&tasks}
}

// The components must add up to the difference of the response times to the nanosecond. Swapping a
// pair must change the sign. Most must be the smallest set of tasks with its share of the
// difference.
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 300, 600, 1000}).Draw(t, "tasks")
		seed := rapid.Uint64().Draw(t, "seed")
		next := func(most uint64) int64 {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int64((seed >> 33) % most)
		}
		var pairs, back []Pair
		all, tail, inTail := int64(0), int64(0), 0
		for range rapid.IntRange(1, 3).Draw(t, "pairs") {
			dues, sides := make([]int64, n), [2][]*rundir.Parts{}
			for i := range dues {
				dues[i] = next(1e6)
				if i > 0 {
					dues[i] += dues[i-1]
				}
				for side := range sides {
					p := &rundir.Parts{next(10), next(1e5), next(1e6), next(100), next(1e7)}
					if next(20) == 0 {
						p = nil
					}
					sides[side] = append(sides[side], p)
				}
			}
			p := Pair{tasksOf(t, dues, sides[0]), tasksOf(t, dues, sides[1])}
			if !p.Known() {
				t.Fatal("a pair of one plan is not known")
			}
			pairs, back = append(pairs, p), append(back, Pair{p.Here, p.Base})
			a, known := p99(p.Base.tasks)
			b, _ := p99(p.Here.tasks)
			for i, was := range p.Base.Responses() {
				is := p.Here.Responses()[i]
				if was < 0 || is < 0 {
					continue
				}
				if all += is - was; known && (was >= a || is >= b) {
					tail += is - was
					inTail++
				}
			}
		}
		d := Decompose(pairs)
		check := func(s *Sum, want int64) {
			sum := int64(0)
			for _, v := range s.Parts {
				sum += v
			}
			if s.Response != want || sum != want {
				t.Fatalf("%+v: the parts are %d together, the responses %d", s, sum, want)
			}
		}
		check(&d.All, all)
		if d.Tail == nil {
			if n >= 600 {
				t.Fatalf("%d tasks have no tail", n)
			}
			return
		}
		check(d.Tail, tail)
		if opposite := Decompose(back); opposite.Tail.Response != -tail || opposite.P99 != -d.P99 ||
			opposite.OnlyBase != d.OnlyHere || opposite.Unpaired != d.Unpaired {
			t.Fatalf("%+v is the opposite of %+v", opposite, d)
		}
		if m := d.Most; tail != 0 && (m.Tasks > inTail || m.Bursts > m.Tasks || m.Share <= 0 ||
			m.Share > 1 || m.From > m.Until) {
			t.Fatalf("%+v of %d tasks", m, inTail)
		}
	})
}

// burst returns two runs of a thousand tasks, one per millisecond. In the second run, 20 tasks from
// the 300th on are queued for 100 ms, and their service is 5 ms shorter.
func burst(t *testing.T) Pair {
	dues := make([]int64, 1000)
	sides := [2][]*rundir.Parts{}
	for i := range dues {
		dues[i] = int64(i) * 1e6
		sides[0] = append(sides[0], &rundir.Parts{0, 0, int64(i), 0, 10e6})
		here := *sides[0][i]
		if i >= 300 && i < 320 {
			here[2], here[4] = 100e6, 5e6
		}
		sides[1] = append(sides[1], &here)
	}
	sides[0][310] = nil
	return Pair{tasksOf(t, dues, sides[0]), tasksOf(t, dues, sides[1])}
}

func TestDifferenceText(t *testing.T) {
	p := burst(t)
	got := Decompose([]Pair{p}).String()
	const want = "29 tasks at the p99 or above on either side: mean +62.2 ms = +65.5 ms queued, " +
		"−3.28 ms service; 62 % of them make 90 % of it, all due within 18.0 ms from 300 ms; " +
		"1 more completed on one side alone"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := Decompose([]Pair{{p.Base, p.Base}}).String(); got != "" {
		t.Errorf("the same run differs: %s", got)
	}
	if got := Decompose([]Pair{p, {p.Here, p.Here}}).String(); strings.Contains(got, "from 300 ms") {
		t.Errorf("of two pairs it is not known which: %s", got)
	}
}

// Runs with different plans, or without response components, cannot be paired.
func TestPairKnown(t *testing.T) {
	p := burst(t)
	dues, parts := []int64{1, 2}, []*rundir.Parts{{}, {}}
	other := tasksOf(t, dues, parts)
	before := &Tasks{&rundir.Tasks{Responses: slices.Clone(p.Base.Responses())}}
	later := tasksOf(t, []int64{1, 3}, parts)
	for _, of := range []Pair{{nil, p.Here}, {p.Base, nil}, {p.Base, other}, {before, p.Here},
		{other, later}} {
		if of.Known() {
			t.Errorf("%+v is a pair", of)
		}
	}
}
