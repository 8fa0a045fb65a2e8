package rundir

import (
	"strconv"
	"time"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// The reason of CheckGap contains the Gaps of a resumed run.
const CheckGap = "gap"

// A Gap is an interval without data in the result of a run.
type Gap struct {
	Tasks    int
	From, To time.Duration
}

// String rounds both ends to less than a hundredth of the gap.
func (g Gap) String() string {
	unit := time.Duration(1)
	for (g.To-g.From)/unit >= 1000 {
		unit *= 10
	}
	return text.Count(g.Tasks, "task") + " due from " + g.From.Round(unit).String() + " to " +
		g.To.Round(unit).String()
}

var gap = lazyregexp.New(`(\d+) tasks? due from (\S+) to ([^\s,;]+)`)

func ParseGaps(reason string) (all []Gap) {
	for _, found := range gap.FindAllStringSubmatch(reason, -1) {
		n, err := strconv.Atoi(found[1])
		from, err1 := time.ParseDuration(found[2])
		to, err2 := time.ParseDuration(found[3])
		if err == nil && err1 == nil && err2 == nil {
			all = append(all, Gap{n, from, to})
		}
	}
	return all
}

// Overlaps ignores an overlap within the rounding of String.
func (g Gap) Overlaps(start, length time.Duration) bool {
	return min(g.To, start+length)-max(g.From, start) > (g.To-g.From)/100
}
