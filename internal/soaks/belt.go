package soaks

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

// MostHeld is the largest number of chunks of records that a soak keeps, for tasks that are not
// done or are due after one that is not. With other memory per task they take about 200 MB.
const MostHeld = 128

const chunkRecords = 1 << 12

// ErrHeld returns the error of a soak that would use more and more memory.
func (b *Belt) ErrHeld() error {
	return fmt.Errorf("soak: a task is not done after %d others were due, and a soak holds no "+
		"more: more is offered than gets done, or a task hangs", b.most*chunkRecords)
}

// A Belt passes the records of a soak to its fold, chunk by chunk in the order of their due times,
// as soon as all tasks of a chunk are done. The fold works in a goroutine of its own, so that the
// generator is on time.
type Belt struct {
	fold  *Fold
	order order // of tasks that follow from others
	most  int   // chunks
	asked Asked // request for the results so far
	peak  *atomic.Int64

	mu            sync.Mutex
	chunks, spare []*Chunk // in use, the oldest first, and folded ones
	// of the generator: the last chunk, and the number of its records in use
	Last  *Chunk
	taken int

	ring, room chan struct{} // a chunk is done; one has been folded. Each has room for one
	quit       chan struct{}
	folding    sync.WaitGroup
	once       sync.Once
}

// An Asked requests the results so far, and receives them.
type Asked struct {
	Wanted *atomic.Bool
	Answer func(soFar func() (*result.Result, error))
}

// A Chunk is done when its counter is twice the number of its records: once for each that is
// settled, and once for each that the generator has submitted.
type Chunk struct {
	done    atomic.Int64
	n       int // number of records in use, once it is final
	records [chunkRecords]record.Record
}

func (c *Chunk) isDone() bool { return c.done.Load() == 2*chunkRecords }

// NewBelt returns a Belt with at most so many chunks.
func NewBelt(most int) *Belt {
	return &Belt{most: most, ring: make(chan struct{}, 1), room: make(chan struct{}, 1),
		quit: make(chan struct{}), taken: chunkRecords}
}

// Start begins to fold.
func (b *Belt) Start(f *Fold, a Asked, peak *atomic.Int64) {
	b.fold, b.asked, b.peak = f, a, peak
	b.folding.Go(func() {
		for {
			select {
			case <-b.ring:
				b.takeUp()
			case <-b.quit:
				return
			}
		}
	})
}

// Next returns the record of the next task, or nil if too many are kept.
func (b *Belt) Next(due int64) *record.Record {
	if b.taken == chunkRecords || b.isWaitedFor() {
		if b.Last != nil {
			b.Last.n = b.taken
			b.Settle(b.Last, int64(2*chunkRecords-b.taken)) // count unused records as done
		}
		if !b.extend() {
			return nil
		}
	}
	b.taken++
	r := &b.Last.records[b.taken-1]
	r.Due = due
	return r
}

// isWaitedFor reports whether somebody requests the results so far, and there is only the last
// chunk to fold, which may take hours to fill at a low rate. Under the virtual clock chunks fill
// soon, and waking the fold on request would make the order of events depend on it.
func (b *Belt) isWaitedFor() bool {
	if b.taken == 0 || !b.asked.Wanted.Load() || b.fold.o.Plan.Virtual {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.chunks) == 1
}

// Settle counts so many steps of the chunk's tasks. The last step wakes the fold.
func (b *Belt) Settle(c *Chunk, steps int64) {
	if c.done.Add(steps) == 2*chunkRecords {
		signal(b.ring)
	}
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (b *Belt) extend() bool {
	for !b.tryExtend() {
		b.mu.Lock()
		folds := b.chunks[0].isDone()
		b.mu.Unlock()
		if !folds {
			return false
		}
		<-b.room
	}
	return true
}

func (b *Belt) tryExtend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.chunks) == b.most {
		return false
	}
	var c *Chunk
	if n := len(b.spare); n > 0 {
		c, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		c = new(Chunk)
	}
	b.chunks, b.Last, b.taken = append(b.chunks, c), c, 0
	return true
}

func (b *Belt) takeUp() {
	for {
		b.mu.Lock()
		if len(b.chunks) == 0 || !b.chunks[0].isDone() {
			b.mu.Unlock()
			return
		}
		c := b.chunks[0]
		b.mu.Unlock()
		b.pass(c.records[:c.n])
		if b.fold.n > 0 { // the order may hold back all
			b.asked.Answer(func() (*result.Result, error) { return b.fold.soFar(b.peak.Load()) })
		}
		c.done.Store(0)
		clear(c.records[:c.n])
		b.mu.Lock()
		b.chunks, b.spare = slices.Delete(b.chunks, 0, 1), append(b.spare, c)
		b.mu.Unlock()
		signal(b.room)
	}
}

// Close ends the goroutine. It may be called again.
func (b *Belt) Close() {
	b.once.Do(func() { close(b.quit) })
	b.folding.Wait()
}

// End folds the remaining records after the run.
func (b *Belt) End() *Fold {
	b.Close()
	for _, c := range b.chunks {
		n := c.n
		if c == b.Last {
			n = b.taken
		}
		b.pass(c.records[:n])
	}
	b.order.release(math.MaxInt64, b.fold.add)
	return b.fold
}

func (b *Belt) pass(all []record.Record) {
	if b.fold.o.Follows {
		b.order.pass(all, b.fold.add)
		return
	}
	for i := range all {
		b.fold.add(&all[i])
	}
}
