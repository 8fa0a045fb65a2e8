package advise

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A batched reading is that of the recursion: what each batch of tasks came to.
type batched struct {
	wait, service [][]int64 // of each batch, of what was not shed
	// what was asked for of response, wait and service, ascending
	times map[string][][]int64
	value map[string][]float64 // other metrics of each batch
	ahead float64              // variance of what is promised about, over that of the mean
	// longest queue of all
	longest int
	// the reading where stretches are as busy as they may come; nil: no busier ones may
	next func() *batched
}

// tells reports whether the recursion knows the metric.
func tells(unit string) bool {
	if _, _, ok := quantile(unit); ok {
		return true
	}
	return slices.Contains([]string{"mean-response-sec", "mean-wait-sec", "mean-service-sec",
		"max-response-sec", "max-wait-sec", "max-service-sec", "shed/op", "throttled/op",
		"failed/op", "abandoned/op", "makespan-sec"}, unit)
}

// quantile reads p99-response-sec.
func quantile(unit string) (p float64, of string, ok bool) {
	name, rest, _ := strings.Cut(unit, "-")
	of, ok = strings.CutSuffix(rest, "-sec")
	percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	ok = ok && err == nil && name[0] == 'p' &&
		slices.Contains([]string{"response", "wait", "service"}, of)
	return percent / 100, of, ok
}

// figure reaches up to what it is where stretches are as busy as they may come.
func (b *batched) figure(unit string) Figure {
	f := b.seen(unit)
	if b.next != nil && f.Told() {
		if to := b.next().seen(unit).Mid; to > f.High { // and not NaN
			f.High = to
		}
	}
	return f
}

// seen is the figure as far as the batches tell.
func (b *batched) seen(unit string) Figure {
	if p, of, ok := quantile(unit); ok {
		return b.quantile(p, b.ascending(of))
	}
	values := b.value[unit]
	if strings.HasPrefix(unit, "max-") && len(values) > 0 {
		return Figure{slices.Min(values), slices.Max(values), slices.Max(values)}
	}
	return spread(values, b.ahead)
}

// quantile is that of all batches together, with the interval that the share beyond it has. Tasks
// beyond a quantile come in bunches, and a bunch is in one batch, so the batches' shares are as
// good as independent; on a logarithmic scale they do not leave (0, 1). Few bunches look alike by
// chance, so the shares beyond a quantile of five times the tail count as well, of which there are
// more. The upper end is at least where an exponential tail has it: the worst bunch of the next
// stretch may be longer than any of this one.
func (b *batched) quantile(p float64, times [][]int64) Figure {
	n := 0
	for _, batch := range times {
		n += len(batch)
	}
	if n == 0 || float64(n)*math.Log(p) > math.Log(0.025) {
		return unknown
	}
	tail := 1 - p
	at := func(tail float64) float64 { return float64(rankIn(times, 1-min(tail, 1), n)) / 1e9 }
	half := max(b.relative(times, rankIn(times, p, n)),
		rarer*b.relative(times, rankIn(times, 1-min(bunches*tail, 0.5), n)))
	if b.ahead > 1 { // a stretch to come is less like this one than seeds are alike
		half *= unlike
	}
	mid := at(tail)
	slope := (mid - at(min(10*tail, 0.5))) / math.Log(10)
	return Figure{at(tail * math.Exp(half)), mid,
		max(at(tail/math.Exp(half)), mid+slope*half)}
}

const (
	bunches = 5 // so many times the tail has more bunches
	// measured: with 1, promises from half a plan held in 18 of 20 at best
	unlike = 1.4
	rarer  = 1.5 // so much more do shares of a fifth vary, of the 2.2 that single tasks would
)

// relative is half of the interval of the share of tasks from a time on, over the share.
func (b *batched) relative(times [][]int64, from int64) float64 {
	shares := make([]float64, 0, len(times))
	for _, batch := range times {
		if len(batch) > 0 {
			at, _ := slices.BinarySearch(batch, from)
			shares = append(shares, float64(len(batch)-at)/float64(len(batch)))
		}
	}
	mean, half := halfWidth(shares, b.ahead)
	return half / mean
}

// perSample are the metric's values in each sample by itself, as a run tells them.
func (b *batched) perSample(unit string) (values []float64) {
	p, of, ok := quantile(unit)
	if !ok {
		return b.value[unit]
	}
	for _, batch := range b.ascending(of) {
		values = append(values, float64(rankIn([][]int64{batch}, p, len(batch)))/1e9)
	}
	return values
}

// rankIn is the nearest rank of p among ascending batches of n values together.
func rankIn(batches [][]int64, p float64, n int) int64 {
	exact := p * float64(n)
	rank := max(1, int(math.Ceil(exact-1e-9*exact)))
	low, high := int64(math.MaxInt64), int64(0)
	for _, b := range batches {
		if len(b) > 0 {
			low, high = min(low, b[0]), max(high, b[len(b)-1])
		}
	}
	for low < high { // the least value with rank values up to it
		mid := low + (high-low)/2
		count := 0
		for _, b := range batches {
			at, _ := slices.BinarySearch(b, mid+1)
			count += at
		}
		if count >= rank {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// queue puts the traffic through the recursion.
func (t *traffic) queue(limit, queue int) *batched {
	b := &batched{times: map[string][][]int64{}, value: map[string][]float64{}, ahead: 1}
	var l line
	for _, s := range t.samples {
		wait := l.serve(s, limit, queue)
		b.longest = max(b.longest, longest(s.due, wait))
		first, parts := t.first(len(wait)), 1
		if t.recorded {
			parts, b.ahead = batches, 2
		}
		var end int64
		for i, w := range wait {
			if w != shed {
				end = max(end, s.due[i]+w+s.service[i])
			}
		}
		b.note("makespan-sec", float64(end-s.due[0])/1e9)
		for j := range parts {
			size := len(wait) - first
			from, to := first+j*size/parts, first+(j+1)*size/parts
			b.add(wait[from:to], s.service[from:to])
		}
	}
	if next := t.ahead(); next != nil {
		b.next = sync.OnceValue(func() *batched { return next.queue(limit, queue) })
	}
	return b
}

func (b *batched) note(unit string, v float64) { b.value[unit] = append(b.value[unit], v) }

// add takes a batch of tasks.
func (b *batched) add(wait, service []int64) {
	if len(wait) == 0 {
		return
	}
	waits, services := make([]int64, 0, len(wait)), service
	if slices.Contains(wait, shed) {
		services = make([]int64, 0, len(wait))
		for i, w := range wait {
			if w != shed {
				waits, services = append(waits, w), append(services, service[i])
			}
		}
	} else {
		waits = append(waits, wait...)
	}
	b.note("shed/op", 1-float64(len(waits))/float64(len(wait)))
	for _, loss := range losses {
		if !loss.shed {
			b.note(loss.unit, 0)
		}
	}
	if len(waits) == 0 {
		return
	}
	b.wait, b.service = append(b.wait, waits), append(b.service, services)
	var sums [2]float64
	var most [3]int64
	for i, w := range waits {
		sums[0] += float64(w)
		sums[1] += float64(services[i])
		most[0], most[1] = max(most[0], w), max(most[1], services[i])
		most[2] = max(most[2], w+services[i])
	}
	n := float64(len(waits)) * 1e9
	b.note("mean-wait-sec", sums[0]/n)
	b.note("mean-service-sec", sums[1]/n)
	b.note("mean-response-sec", (sums[0]+sums[1])/n)
	b.note("max-wait-sec", float64(most[0])/1e9)
	b.note("max-service-sec", float64(most[1])/1e9)
	b.note("max-response-sec", float64(most[2])/1e9)
}

// ascending are the times of each batch in order: sorting is most of the cost, so it waits until
// somebody asks.
func (b *batched) ascending(of string) [][]int64 {
	if sorted, ok := b.times[of]; ok {
		return sorted
	}
	sorted := make([][]int64, len(b.wait))
	for i, waits := range b.wait {
		switch of {
		case "wait":
			sorted[i] = slices.Clone(waits)
		case "service":
			sorted[i] = slices.Clone(b.service[i])
		default:
			sorted[i] = make([]int64, len(waits))
			for j, w := range waits {
				sorted[i][j] = w + b.service[i][j]
			}
		}
		slices.Sort(sorted[i])
	}
	b.times[of] = sorted
	return sorted
}
