package strategies

// Counted is implemented by instances that count events other than tasks, such as opened circuits.
type Counted interface {
	// Counts returns the current counts, including the wrapped strategy's. It is safe for concurrent
	// use. Each value is exact by itself.
	Counts() []Count
}

// A Count is one number of an instance.
type Count struct {
	Name  string // words and hyphens, fit to be the unit of a benchmark: circuit-opened
	Value int64  // never falls
}

// A Counter documents a Count. Counters of the same name mean the same for every strategy.
type Counter struct {
	Name   string
	Better string // "lower", or "" where fewer is neither better nor worse
	Doc    string // one line
}

// CountsOf returns the counts of all Counted instances, added by name.
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
