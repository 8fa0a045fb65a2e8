package trend

// A suspect is the first result after a change of one or several series: its commit should be
// inspected.
type suspect struct {
	At, Last int // first and last result at which one of them changes
	Rows     []row
}

// Changes up to sameCause results apart have one cause, since noise moves a change point by one or
// two.
const sameCause = 2

func (t *Trend) suspects() (out []suspect) {
	for _, r := range t.rows() {
		if n := len(out); n > 0 && r.Change.At-out[n-1].At <= sameCause {
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
