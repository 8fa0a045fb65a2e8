package strategies

// Counted is implemented by instances that count events other than tasks, such as opened circuits.
type Counted interface {
	// Counts includes the counts of the wrapped strategy. It is safe for concurrent use. The values
	// are not one atomic snapshot.
	Counts() []Count
}

// A Count is one number of an instance.
type Count struct {
	Name  string // unit of a benchmark in words and hyphens, such as circuit-opened
	Value int64  // never decreases
}

// A Counter documents a Count. Its name has the same meaning in all strategies.
type Counter struct {
	Name   string
	Better string // "lower", or "" if fewer is neither better nor worse
	Doc    string // one line
}

// CountsOf returns the counts of all Counted instances, summed by name.
func CountsOf(instances ...Strategy) (all []Count) {
	at := map[string]int{}
	for _, s := range instances {
		s, counts := s.(Counted)
		if !counts {
			continue
		}
		for _, c := range s.Counts() {
			if i, there := at[c.Name]; there {
				all[i].Value += c.Value
				continue
			}
			at[c.Name] = len(all)
			all = append(all, c)
		}
	}
	return all
}
