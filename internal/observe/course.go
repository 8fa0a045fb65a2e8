package observe

import (
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

// At maxWindows intervals, neighbouring pairs are merged.
const maxWindows = 4 * Intervals

// A Timeline counts events in intervals of equal length, which doubles as the run grows. Begin and
// Length are in ns.
type Timeline struct {
	Begin, Length int64
	Line          []result.Bucket
}

func (c *Timeline) Add(r *record.Record) { countIn(c.at, r) }

func (c *Timeline) at(instant int64) *result.Bucket {
	i := max((instant-c.Begin)/c.Length, 0)
	for i >= maxWindows {
		c.halve()
		i /= 2
	}
	for int64(len(c.Line)) <= i {
		c.Line = append(c.Line, result.Bucket{})
	}
	return &c.Line[i]
}

func (c *Timeline) halve() {
	for i := range c.Line {
		sum, of := c.Line[i/2].Counts(), c.Line[i].Counts()
		for j := range sum {
			if i%2 == 0 && i > 0 {
				*sum[j] = *of[j]
			} else if i%2 == 1 {
				*sum[j] += *of[j]
			}
		}
	}
	c.Line = c.Line[:(len(c.Line)+1)/2]
	c.Length *= 2
}

// The intervals include the number of tasks in the system.
func (c *Timeline) Intervals() []result.Bucket {
	for i := range c.Line {
		c.Line[i].Start = time.Duration(c.Begin + int64(i)*c.Length)
		c.Line[i].Length = time.Duration(c.Length)
	}
	sumUp(c.Line)
	return c.Line
}

// At maxBatches batches, neighbouring pairs are merged. The limits of the checks' batches are off
// by at most 1/32 of a batch.
const maxBatches = 64 * Batches

// BatchSums adds values in batches of equal size, which doubles as the run grows.
type BatchSums struct {
	size, n int
	sums    []float64
}

func (b *BatchSums) Add(v float64) {
	if b.size == 0 {
		b.size = 1
	}
	if b.n == b.size*len(b.sums) {
		if len(b.sums) == maxBatches {
			for i := range maxBatches / 2 {
				b.sums[i] = b.sums[2*i] + b.sums[2*i+1]
			}
			b.sums = b.sums[:maxBatches/2]
			b.size *= 2
		}
		b.sums = append(b.sums, 0)
	}
	b.sums[len(b.sums)-1] += v
	b.n++
}

// Means omits an incomplete last batch. ok is false with fewer than 10 values per batch.
func (b *BatchSums) Means() (means [Batches]float64, ok bool) {
	full := b.n / max(b.size, 1)
	for i := range means {
		from, to := i*full/Batches, (i+1)*full/Batches
		for _, sum := range b.sums[from:to] {
			means[i] += sum / float64(b.size*(to-from))
		}
	}
	return means, b.n >= 10*Batches
}
