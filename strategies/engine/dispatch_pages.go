package engine

import (
	"sync/atomic"

	"github.com/poolbench/poolbench/strategies"
)

// 64 tasks make the cost per page negligible. Each worker holds at most one page of 600 bytes.
const pageSize = 64

// pages is the FIFO queue of a Dispatch. All methods except page.claim require the mutex of the
// Dispatch.
//
// The first page can be shared if it has two or more tasks. No task is added to a shared page, and
// only claim accesses its slots. A worker enters a page with its first task, and must quit it after
// its last claim. A page is reused only after all workers have quit it, because one may still be
// about to read its claimed slot.
type pages struct {
	head, tail *page
	shared     bool  // whether head is shared; it then differs from tail
	unused     *page // stack of unused pages
}

type page struct {
	left atomic.Int64 // tasks to claim while the page is shared; none if not positive
	// left has its own cache line, because workers on several cores contend for it.
	_ [56]byte

	tasks [pageSize]*strategies.Task
	// tasks[first:last] are waiting; first is not updated while the page is shared
	first, last int
	users       int   // workers that have entered and not quit
	seen        int   // value of left at the last report
	next        *page // towards the tail
}

// claim needs no mutex. It returns nil if no task is left.
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

func (q *pages) Open() {
	q.head = new(page)
	q.tail = q.head
}

func (q *pages) Push(t *strategies.Task) {
	p := q.tail
	if p.last == pageSize {
		p = q.turn()
	}
	p.tasks[p.last] = t
	p.last++
}

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

// take returns the first task, if any. If share is set, it may also return a shared page, which the
// caller has then entered. If it stops sharing a page, it returns the number of claims.
func (q *pages) take(share bool) (t *strategies.Task, entered *page, claims int) {
	if q.shared {
		p := q.head
		if t = p.claim(); t != nil {
			p.seen-- // take itself is not a claim to be counted
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

func (q *pages) quit(p *page) {
	if p.users--; p.users == 0 && p != q.head {
		q.discard(p)
	}
}

func (q *pages) claims() int {
	if !q.shared {
		return 0
	}
	return q.head.report(q.head.left.Load())
}

// withdraw ends the sharing and returns the number of claims.
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

func (p *page) report(left int64) int {
	before := p.seen
	p.seen = max(int(left), 0)
	return before - p.seen
}

func (q *pages) trim() {
	p := q.head
	switch {
	case p.first < p.last:
	case p == q.tail:
		p.first, p.last = 0, 0
	default:
		q.head = p.next
		if p.users == 0 {
			q.discard(p)
		}
	}
}

func (q *pages) discard(p *page) {
	p.first, p.last = 0, 0
	p.next = q.unused
	q.unused = p
}
