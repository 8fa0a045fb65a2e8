package rundir

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/files"
)

const MaxSlowest = 50

// SlowestColumns are the columns of slowest.csv. Instants are in seconds since the run began, and
// empty if they do not exist, such as the start of a task that never started. In-flight and queued
// describe the state when the task was due, and are empty if unknown.
var SlowestColumns = []string{"run", "repetition", "task", "due-sec", "issue-sec", "accepted-sec",
	"start-sec", "end-sec", "response-sec", "lag-sec", "blocked-sec", "queued-sec", "between-sec",
	"service-sec", "target-sec", "outcome", "class", "attempts", "in-flight", "queued", "burst",
	"burst-start-sec", "burst-tasks", "trace", "url"}

// numbers of columns written by older versions: without trace and url, and without url
const (
	columnsBefore = 23
	withTrace     = 24
)

const Unknown = -1

type SlowTask struct {
	Task int // index in the order of due times, from 0, including the warm-up
	// Instants since the run began. Accepted is 0 if unknown. Start is 0 if the task never started.
	Due, Issue, Accepted, Start, End time.Duration
	// Parts of the response time. Target is part of Service.
	Lag, Blocked, Queued, Between, Service, Target time.Duration
	Outcome, Class                                 string
	Attempts                                       int
	// Numbers of other tasks when this one was due, or Unknown.
	InFlight, Waiting int
	Trace             string `json:",omitempty"` // trace ID, or ""
	// method and path, or step; "" if all requests have the same
	URL string `json:",omitempty"`
}

func (t *SlowTask) Response() time.Duration { return t.End - t.Due }

// A Burst is a chain of slow tasks of one run. Each task is due before all earlier ones have ended.
type Burst struct {
	Start time.Duration // due time of the first task
	Tasks int
}

// of[i] is the index of the burst of task i.
func Bursts(tasks []SlowTask) (bursts []Burst, of []int) {
	order := make([]int, len(tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(tasks[a].Due, tasks[b].Due)
	})
	of = make([]int, len(tasks))
	until := time.Duration(math.MinInt64)
	for _, i := range order {
		if t := &tasks[i]; t.Due > until {
			bursts = append(bursts, Burst{Start: t.Due})
		}
		until = max(until, tasks[i].End)
		of[i] = len(bursts) - 1
		bursts[of[i]].Tasks++
	}
	return bursts, of
}

func SlowestRows(run string, repetition int, tasks []SlowTask) (rows [][]string) {
	bursts, of := Bursts(tasks)
	for i, t := range tasks {
		started := func(at time.Duration) string {
			if t.Attempts == 0 {
				return ""
			}
			return nanos(at)
		}
		accepted := ""
		if t.Accepted != 0 {
			accepted = nanos(t.Accepted)
		}
		burst := bursts[of[i]]
		rows = append(rows, []string{run, strconv.Itoa(repetition), strconv.Itoa(t.Task),
			nanos(t.Due), nanos(t.Issue), accepted, started(t.Start), nanos(t.End),
			nanos(t.Response()), nanos(t.Lag), nanos(t.Blocked), nanos(t.Queued), nanos(t.Between),
			nanos(t.Service), nanos(t.Target), t.Outcome, t.Class, strconv.Itoa(t.Attempts),
			count(t.InFlight), count(t.Waiting), strconv.Itoa(of[i] + 1), nanos(burst.Start),
			strconv.Itoa(burst.Tasks), t.Trace, t.URL})
	}
	return rows
}

func IsSlowestHead(fields []string) bool {
	return len(fields) > 2 && slices.Equal(fields[:3], SlowestColumns[:3])
}

// nanos is a time in seconds.
func nanos(t time.Duration) string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return fmt.Sprintf("%s%d.%09d", sign, t/time.Second, t%time.Second)
}

// maxSeconds limits instants, so that the sum of two cannot overflow a time.Duration.
const maxSeconds = 1 << 31

func parseNanos(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	whole, part, _ := strings.Cut(text, ".")
	sec, err := strconv.ParseInt(whole, 10, 64)
	ns, bad := strconv.ParseUint(part, 10, 32)
	if err != nil || bad != nil || len(part) != 9 || max(sec, -sec) > maxSeconds {
		return 0, fmt.Errorf("%q is no time in seconds with nine digits", text)
	}
	if strings.HasPrefix(whole, "-") {
		return time.Duration(sec)*time.Second - time.Duration(ns), nil
	}
	return time.Duration(sec)*time.Second + time.Duration(ns), nil
}

func count(n int) string {
	if n == Unknown {
		return ""
	}
	return strconv.Itoa(n)
}

// ParseSlowestRow ignores the derived columns, response and burst.
func ParseSlowestRow(row []string) (run string, repetition int, t SlowTask, err error) {
	switch len(row) {
	case len(SlowestColumns):
		t.Trace, t.URL = strings.Clone(row[23]), strings.Clone(row[24])
	case withTrace:
		t.Trace = strings.Clone(row[23])
	case columnsBefore:
	default:
		return "", 0, t, fmt.Errorf("%d columns, want %d", len(row), len(SlowestColumns))
	}
	wrong := func(i int, bad error) {
		if bad != nil && err == nil {
			err = fmt.Errorf("%s: %w", SlowestColumns[i], bad)
		}
	}
	run, t.Outcome, t.Class = row[0], row[15], row[16]
	for i, to := range map[int]*int{1: &repetition, 2: &t.Task, 17: &t.Attempts, 18: &t.InFlight,
		19: &t.Waiting} {
		var bad error
		if *to = Unknown; row[i] != "" {
			*to, bad = strconv.Atoi(row[i])
		}
		wrong(i, bad)
	}
	for i, to := range map[int]*time.Duration{3: &t.Due, 4: &t.Issue, 5: &t.Accepted, 6: &t.Start,
		7: &t.End, 9: &t.Lag, 10: &t.Blocked, 11: &t.Queued, 12: &t.Between, 13: &t.Service,
		14: &t.Target} {
		var bad error
		*to, bad = parseNanos(row[i])
		wrong(i, bad)
	}
	return run, repetition, t, err
}

// cut reports that an incomplete last line was skipped. The error is fs.ErrNotExist if there is no
// such file.
func EachSlowest(
	path string, wanted func(run string, repetition int) bool,
	f func(run string, repetition int, t SlowTask),
) (cut bool, err error) {
	content, err := files.ReadFile(path, MaxBytes)
	if err != nil {
		return false, PathError(path, err)
	}
	text := string(content)
	whole := text[:strings.LastIndexByte(text, '\n')+1]
	rows := csv.NewReader(strings.NewReader(whole))
	rows.ReuseRecord, rows.FieldsPerRecord = true, -1 // errors of a row include its position
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return len(whole) < len(text), nil
		case err != nil:
			return false, fmt.Errorf("%s: %w", path, err)
		case IsSlowestHead(row):
			continue
		}
		run, repetition, t, err := ParseSlowestRow(row)
		if err != nil {
			line, _ := rows.FieldPos(0)
			return false, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if wanted(run, repetition) {
			f(strings.Clone(run), repetition, t)
		}
	}
}
