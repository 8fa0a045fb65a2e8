package strategies

// Entries are the queue of a pool. Not a channel, because what comes back from its turn must always
// find room, and be able to go to the front.
type entries struct{ ring[entry] }

// insert puts e before the first entry that does not come before it. Few do: it looks for its
// position from the front.
func (q *entries) insert(e entry) {
	q.grow()
	q.first = (q.first - 1) & (len(q.slots) - 1)
	q.n++
	i := 0
	for ; i+1 < q.n && q.at(i+1).seq < e.seq; i++ {
		*q.at(i) = *q.at(i + 1)
	}
	*q.at(i) = e
}

// remove takes out all entries that are unwanted and keeps the order of the others.
func (q *entries) remove(unwanted func(entry) bool) {
	for range q.n {
		if e := q.popFront(); !unwanted(e) {
			q.pushBack(e)
		}
	}
}
