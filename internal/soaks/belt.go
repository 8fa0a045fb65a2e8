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

// MaxHeld chunks of records need about 200 MB, with the other memory per task.
const MaxHeld = 128

const chunkRecords = 1 << 12

func (b *Belt) ErrHeld() error {
	return fmt.Errorf("soak: a task is not done after %d later tasks were due, the most that a "+
		"soak keeps: the load exceeds the capacity, or a task hangs", b.most*chunkRecords)
}

// A Belt passes the records of a soak to its fold, chunk by chunk in the order of due times, as
// soon as all tasks of a chunk are done. The fold runs in its own goroutine so that it does not
// delay the generator.
type Belt struct {
	fold  *Fold
	order order // reorders tasks that depend on others
	most  int
	asked InterimRequest // request for the results so far
	peak  *atomic.Int64

	mu            sync.Mutex
	chunks, spare []*Chunk // chunks in use, the oldest first; spare chunks for reuse
	// Only the generator uses Last, the last chunk, and taken, the number of its records in use.
	Last  *Chunk
	taken int

	// ring: a chunk is done; room: a chunk was folded; both have a buffer of one
	ring, room chan struct{}
	quit       chan struct{}
	folding    sync.WaitGroup
	once       sync.Once
}

type InterimRequest struct {
	Wanted *atomic.Bool
	Answer func(soFar func() (*result.Result, error))
}

// A Chunk is done when its counter is twice the number of its records: each record counts once when
// the task is settled, and once when the generator has submitted it.
type Chunk struct {
	done    atomic.Int64
	n       int // number of records in use, set when the chunk is complete
	records [chunkRecords]record.Record
}

func (c *Chunk) isDone() bool { return c.done.Load() == 2*chunkRecords }

func NewBelt(most int) *Belt {
	return &Belt{most: most, ring: make(chan struct{}, 1), room: make(chan struct{}, 1),
		quit: make(chan struct{}), taken: chunkRecords}
}

func (b *Belt) Start(f *Fold, a InterimRequest, peak *atomic.Int64) {
	b.fold, b.asked, b.peak = f, a, peak
	b.folding.Go(func() {
		for {
			select {
			case <-b.ring:
				b.foldDone()
			case <-b.quit:
				return
			}
		}
	})
}

// Next returns nil if too many chunks are in use.
func (b *Belt) Next(due int64) *record.Record {
	if b.taken == chunkRecords || b.isWaitedFor() {
		if b.Last != nil {
			b.Last.n = b.taken
			b.Settle(b.Last, int64(2*chunkRecords-b.taken))
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

// isWaitedFor reports whether results so far are requested while only the last chunk contains
// records. At a low rate that chunk may take hours to fill. Under the virtual clock chunks fill
// quickly, and folding on request would make the order of events depend on the request.
func (b *Belt) isWaitedFor() bool {
	if b.taken == 0 || !b.asked.Wanted.Load() || b.fold.o.Plan.Virtual {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.chunks) == 1
}

// The last step wakes the fold.
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

func (b *Belt) foldDone() {
	for {
		b.mu.Lock()
		if len(b.chunks) == 0 || !b.chunks[0].isDone() {
			b.mu.Unlock()
			return
		}
		c := b.chunks[0]
		b.mu.Unlock()
		b.pass(c.records[:c.n])
		if b.fold.n > 0 { // 0 if the order holds back all records
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

// Close may be called more than once.
func (b *Belt) Close() {
	b.once.Do(func() { close(b.quit) })
	b.folding.Wait()
}

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
