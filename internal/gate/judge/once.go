package judge

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/internal/prose"
)

// Once judges results that were recorded before, in a single stage: each sample by its pairs, and
// by the ranks of all values where it has none.
//
// So are those that have too few pairs for a verdict in a family so large, where the values suffice
// without: 10 pairs can give a p of 1 in 1024 by their signs, and 10 values against 10 one of 1 in
// 184756. That depends on their number alone. Errors are those of Weigh, all of them joined, and a
// metric given twice.
func Once(o Options, samples []Sample) (*Report, error) {
	if err := errors.Join(o.Validate(), checkAll(samples)); err != nil {
		return nil, err
	}
	r := &Report{}
	for _, s := range samples {
		if s.empty() {
			return nil, s.errorf("no values")
		}
		if _, known := s.known(s.sides()); !known {
			r.Tests++
		}
	}
	needed, unpaired := o.Needed(r.Tests), 0
	family, ranks := make([]Evidence, len(samples)), RankSums{}
	for i, s := range samples {
		_, known := s.known(s.sides())
		if !known && s.N() > 0 && leastP(s.N()) > needed &&
			o.leastUnpairedP(len(s.Base), len(s.Head)) <= needed {
			s = s.unpaired()
			unpaired++
		}
		row := o.row(s, r.Tests, ranks)
		family[i] = row.Evidence
		r.Rows = append(r.Rows, row)
		r.warnOfVariation(s, row)
	}
	for i, c := range conclude(o, family) {
		r.Rows[i].conclude(o, c)
	}
	if unpaired > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s judged as if they were not paired: in a "+
			"family of %s a verdict takes %d pairs", prose.Count(unpaired, "metric"),
			prose.Count(r.Tests, "test"), MinPairs(needed)))
	}
	return r, nil
}
