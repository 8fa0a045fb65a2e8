package bench

import (
	"time"

	"github.com/poolbench/poolbench/bench/records"
)

// mostWindows is how many windows a course has at most: then each two become one.
const mostWindows = 4 * intervals

// A course counts what happened in windows of equal length, which grow with the run.
type course struct {
	begin, length int64
	line          []Interval
}

func (c *course) add(r *records.Record) { countIn(c.at, r) }

// at is the window of that instant.
func (c *course) at(instant int64) *Interval {
	i := max((instant-c.begin)/c.length, 0)
	for i >= mostWindows {
		c.halve()
		i /= 2
	}
	for int64(len(c.line)) <= i {
		c.line = append(c.line, Interval{})
	}
	return &c.line[i]
}

// halve makes one window of each two.
func (c *course) halve() {
	for i := range c.line {
		sum, of := c.line[i/2].Counts(), c.line[i].Counts()
		for j := range sum {
			if i%2 == 0 && i > 0 {
				*sum[j] = *of[j]
			} else if i%2 == 1 {
				*sum[j] += *of[j]
			}
		}
	}
	c.line = c.line[:(len(c.line)+1)/2]
	c.length *= 2
}

// intervals are the windows with their levels.
func (c *course) intervals() []Interval {
	for i := range c.line {
		c.line[i].Start = time.Duration(c.begin + int64(i)*c.length)
		c.line[i].Length = time.Duration(c.length)
	}
	sumUp(c.line)
	return c.line
}

// mostBatches is how many batches are kept: then each two become one. They make the batches of the
// checks, whose ends are off by so little.
const mostBatches = 64 * batches

// A batched sums values up in batches of as many, which grow with the run.
type batched struct {
	size, n int
	sums    []float64
}

func (b *batched) add(v float64) {
	if b.size == 0 {
		b.size = 1
	}
	if b.n == b.size*len(b.sums) {
		if len(b.sums) == mostBatches {
			for i := range mostBatches / 2 {
				b.sums[i] = b.sums[2*i] + b.sums[2*i+1]
			}
			b.sums = b.sums[:mostBatches/2]
			b.size *= 2
		}
		b.sums = append(b.sums, 0)
	}
	b.sums[len(b.sums)-1] += v
	b.n++
}

// means are those of as many batches as the checks have; a last one that is not full is left out.
func (b *batched) means() (means [batches]float64, ok bool) {
	full := b.n / max(b.size, 1)
	for i := range means {
		from, to := i*full/batches, (i+1)*full/batches
		for _, sum := range b.sums[from:to] {
			means[i] += sum / float64(b.size*(to-from))
		}
	}
	return means, b.n >= 10*batches
}
