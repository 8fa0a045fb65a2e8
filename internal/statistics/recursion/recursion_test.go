package recursion

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func plan(n int, load float64, limit int, seed uint64) (due, service []int64) {
	random := rand.New(rand.NewPCG(seed, 1))
	at := 0.0
	for range n {
		at += random.ExpFloat64() * 1e9 / load / float64(limit)
		due = append(due, int64(at))
		service = append(service, int64(random.ExpFloat64()*1e9))
	}
	return due, service
}

// byEvents computes responses from all tasks in the system at each arrival.
func byEvents(due, service []int64, limit, queue int) (responses []int64) {
	var ends []int64
	for i, d := range due {
		busy := slices.DeleteFunc(slices.Clone(ends), func(end int64) bool { return end <= d })
		if queue >= 0 && len(busy) >= limit+queue {
			responses = append(responses, Shed)
			continue
		}
		start := d
		if len(busy) >= limit {
			slices.Sort(busy)
			start = busy[len(busy)-limit]
		}
		ends = append(ends, start+service[i])
		responses = append(responses, start+service[i]-d)
	}
	return responses
}

func TestPool(t *testing.T) {
	var pool Pool
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.OneOf(rapid.IntRange(1, 17), rapid.IntRange(sorted-1, sorted+9)).
			Draw(t, "limit")
		queue := rapid.OneOf(rapid.Just(NeverFull), rapid.IntRange(0, 20)).Draw(t, "queue")
		n := rapid.IntRange(0, 300).Draw(t, "n")
		load := rapid.SampledFrom([]float64{0.3, 0.9, 3}).Draw(t, "load")
		due, service := plan(n, load, limit, rapid.Uint64().Draw(t, "seed"))
		pool.Run(due, service, limit, queue)
		if pool.Tied() {
			t.Skip("a tie")
		}
		want := byEvents(due, service, limit, queue)
		if !slices.Equal(pool.Responses(), want) {
			t.Fatalf("responses\n%v\nwant\n%v", pool.Responses(), want)
		}
	})
}

// If a slot becomes free at an arrival, either decision is correct.
func TestTied(t *testing.T) {
	for _, c := range []struct {
		due    []int64
		queue  int
		tied   bool
		shed   bool
		answer string
	}{
		{[]int64{1, 11}, 0, true, false, "the slot is free at the second arrival"},
		{[]int64{1, 10}, 0, false, true, "the slot is taken"},
		{[]int64{1, 2, 11}, 1, true, false, "the place in the queue is free at the third"},
		{[]int64{1, 2, 10}, 1, false, true, "the place is taken"},
	} {
		var p Pool
		service := []int64{10, 10, 10}[:len(c.due)]
		p.Run(c.due, service, 1, c.queue)
		last := p.Responses()[len(c.due)-1]
		if p.Tied() != c.tied || (last == Shed) != c.shed {
			t.Errorf("%s: tied %v, and the last is %d", c.answer, p.Tied(), last)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	due, service := plan(2000, 0.9, 4, 1)
	var p Pool
	if n := testing.AllocsPerRun(10, func() {
		for _, queue := range []int{NeverFull, 3} {
			p.Run(due, service, 4, queue)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBounded(t *testing.T) {
	due, service := []int64{0, 0, 0, 0}, []int64{30, 30, 30, 30}
	for name, c := range map[string]struct {
		pool Pool
		want []int64
	}{
		"tokens": {Pool{Pace: Pace{Every: 100, Kept: 2}}, []int64{30, 30, 130, 230}},
		"ticks":  {Pool{Pace: Pace{Every: 100}}, []int64{130, 230, 330, 430}},
		// no task returns between 50 and 100
		"freeze": {Pool{Freeze: Freeze{Period: 100, Stop: 50}}, []int64{30, 30, 100, 100}},
		"gate": {Pool{Gate: func(at int64) (int64, bool) { return 5, at > 0 }},
			[]int64{Refused, Refused, Refused, Refused}},
	} {
		c.pool.Run(due, service, 2, NeverFull)
		if got := c.pool.Responses(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		c.pool.Run(nil, nil, 2, NeverFull)
	}
	pool := Pool{Gate: func(at int64) (int64, bool) { return 5, true }}
	pool.Run(due, service, 1, NeverFull)
	if want := []int64{35, 70, 105, 140}; !slices.Equal(pool.Responses(), want) ||
		!slices.Equal(pool.Occupied(), []int64{35, 35, 35, 35}) {
		t.Errorf("%v, %v", pool.Responses(), pool.Occupied())
	}
}
