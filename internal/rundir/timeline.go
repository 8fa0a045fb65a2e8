package rundir

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// In-flight, queued and limit are levels at the end of the interval, the others count events within
// it. The limit is empty unless the strategy learns it.
var TimelineColumns = []string{"run", "repetition", "start-sec", "interval-sec", "arrived",
	"started", "completed", "failed", "throttled", "shed", "abandoned", "in-flight", "queued",
	"limit"}

// Indices in the Counts of a row. The other outcomes follow Completed.
const (
	Completed = 2
	InFlight  = 7
	Queued    = 8
)

type TimelineRow struct {
	Run           string
	Repetition    int
	Start, Length float64
	Counts        [9]int // the other columns, in order, without the last
	Limit         int    // 0: none
}

func (r TimelineRow) Fields() []string {
	fields := []string{r.Run, strconv.Itoa(r.Repetition), seconds(r.Start), seconds(r.Length)}
	for _, n := range r.Counts {
		fields = append(fields, strconv.Itoa(n))
	}
	if r.Limit == 0 {
		return append(fields, "")
	}
	return append(fields, strconv.Itoa(r.Limit))
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func IsTimelineHead(fields []string) bool {
	return len(fields) > 1 && slices.Equal(fields[:2], TimelineColumns[:2])
}

// Files of older versions lack the limit.
func ParseTimelineRow(fields []string) (r TimelineRow, err error) {
	last := len(TimelineColumns) - 1
	if len(fields) == last {
		fields = append(slices.Clone(fields), "")
	}
	if len(fields) != len(TimelineColumns) {
		return r, fmt.Errorf("%d columns, want %d", len(fields), len(TimelineColumns))
	}
	if fields[last] == "" {
		fields = append(slices.Clone(fields[:last]), "0")
	}
	var numbers [13]float64
	for i := range numbers {
		v, err := strconv.ParseFloat(fields[i+1], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return r, fmt.Errorf("%s is %q, not a number", TimelineColumns[i+1], fields[i+1])
		}
		numbers[i] = v
	}
	r = TimelineRow{Run: fields[0], Repetition: int(numbers[0]), Start: numbers[1],
		Length: numbers[2]}
	for i := range r.Counts {
		r.Counts[i] = int(numbers[i+3])
	}
	r.Limit = int(numbers[last-1])
	return r, nil
}
