package engine

import (
	"sync/atomic"

	"github.com/poolbench/poolbench/strategies"
)

// pageSize is how many tasks a page holds: enough that what is done once a page does not count, and
// few enough that the pages in use, at most one per worker beside those that are full, are small:
// 600 bytes.
const pageSize = 64

// pages is the queue of a dispatch: FIFO, in pages that are used again, so that it allocates
// nothing once it has been as long as it gets. All methods but page.claim are called with the mutex
// of the dispatch held.
//
// The first page can be shared, when it has two tasks or more. From then on nothing is added to it,
// tasks are taken by claim, in the same order, and nobody but claim touches its slots. A worker
// enters a page by taking its first task from it, and then may claim more without the mutex until
// there are none; then it must quit. A page is used again when all that entered it have quit: until
// then one of them may still be about to read the slot that it has claimed.
type pages struct {
	head, tail *page
	shared     bool  // head is, and then it is not tail
	unused     *page // a stack of pages that nobody uses
}

// A page is a piece of the queue.
type page struct {
	left atomic.Int64 // tasks to claim while it is shared; not positive: none
	// left has a cache line of its own: it is the one that workers on several cores meet on
	_ [56]byte

	tasks       [pageSize]*strategies.Task
	first, last int   // tasks[first:last] wait, unless it is shared, when first does not count
	users       int   // workers that have entered and not quit
	seen        int   // how much of left has not been reported by claims
	next        *page // towards the tail
}

// claim takes the next task of a shared page; nil: there is none. It needs no mutex.
func (p *page) claim() *strategies.Task {
	left := int(p.left.Add(-1))
	if left < 0 {
		return nil
	}
	slot := &p.tasks[p.last-1-left]
	t := *slot
	*slot = nil
	return t
}

// Open makes q ready.
func (q *pages) Open() {
	q.head = new(page)
	q.tail = q.head
}

// Push adds t at the end.
func (q *pages) Push(t *strategies.Task) {
	p := q.tail
	if p.last == pageSize {
		p = q.turn()
	}
	p.tasks[p.last] = t
	p.last++
}

// turn adds an empty page at the end.
func (q *pages) turn() *page {
	p := q.unused
	if p == nil {
		p = new(page)
	} else {
		q.unused, p.next = p.next, nil
	}
	q.tail.next = p
	q.tail = p
	return p
}

// Empty says whether no task waits.
func (q *pages) Empty() bool {
	p := q.head
	if q.shared {
		if p.left.Load() > 0 {
			return false
		}
		p = p.next
	}
	return p.first == p.last
}

// take takes the first task, if there is one. It may find or make, if share, a shared page: then
// the caller enters it, which is the page returned. It may also find that a page is no longer
// shared: then it returns what claims would have.
func (q *pages) take(share bool) (t *strategies.Task, entered *page, claims int) {
	if q.shared {
		p := q.head
		if t = p.claim(); t != nil {
			p.seen-- // this is not one of those that claims is about
			p.users++
			return t, p, 0
		}
		claims = q.withdraw()
	}
	t = q.Pop()
	p := q.head
	if !share || p.last-p.first < 2 {
		return t, nil, claims
	}
	if p == q.tail {
		q.turn()
	}
	q.shared = true
	p.seen = p.last - p.first
	p.left.Store(int64(p.seen))
	p.users++
	return t, p, claims
}

// Pop takes the first task, if there is one; no page is shared.
func (q *pages) Pop() *strategies.Task {
	p := q.head
	if p.first == p.last {
		return nil
	}
	t := p.tasks[p.first]
	p.tasks[p.first] = nil
	p.first++
	q.trim()
	return t
}

// quit is for a worker that has entered p and will claim no more from it.
func (q *pages) quit(p *page) {
	if p.users--; p.users == 0 && p != q.head {
		q.discard(p)
	}
}

// claims returns how many tasks have been claimed from the shared page since it was last asked.
func (q *pages) claims() int {
	if !q.shared {
		return 0
	}
	return q.head.report(q.head.left.Load())
}

// withdraw ends the sharing, if there is any, and returns what claims would have.
func (q *pages) withdraw() int {
	if !q.shared {
		return 0
	}
	p := q.head
	n := p.report(p.left.Swap(0))
	p.first = p.last - p.seen
	q.shared = false
	q.trim()
	return n
}

// report returns how much less is left than was seen.
func (p *page) report(left int64) int {
	before := p.seen
	p.seen = max(int(left), 0)
	return before - p.seen
}

// trim sees to it that the first page has a task if there is one.
func (q *pages) trim() {
	p := q.head
	switch {
	case p.first < p.last:
	case p == q.tail:
		// nobody uses it: only what was shared is used, and that has had a page behind it ever
		// since
		p.first, p.last = 0, 0
	default:
		q.head = p.next
		if p.users == 0 {
			q.discard(p)
		}
	}
}

// discard keeps a page for another time.
func (q *pages) discard(p *page) {
	p.first, p.last = 0, 0
	p.next = q.unused
	q.unused = p
}
