package trend

// A suspect is the first result of a change in one or several series: its commit is the one to
// inspect.
type suspect struct {
	At, Last int // the first and the last result at which one of them steps
	Rows     []row
}

// together is how many results apart the steps of one cause may be found: noise moves a change
// point by one or two.
const together = 2

// suspects group the listed changes, in the order of the results: each begins with the first change
// that is not within two results of the first one of the group before.
func (t *Trend) suspects() (out []suspect) {
	for _, r := range t.rows() {
		if n := len(out); n > 0 && r.Change.At-out[n-1].At <= together {
			s := &out[n-1]
			s.Rows, s.Last = append(s.Rows, r), r.Change.At
			continue
		}
		out = append(out, suspect{At: r.Change.At, Last: r.Change.At, Rows: []row{r}})
	}
	return out
}

func (s suspect) count(word string) (n int) {
	for _, r := range s.Rows {
		if r.Word == word {
			n++
		}
	}
	return n
}
