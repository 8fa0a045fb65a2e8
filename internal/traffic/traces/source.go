package traces

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

// A Source says what is read of which file.
type Source struct {
	File     string
	Time     string             // column of the times: its number from 1, or its name; "": none
	Duration string             // column of the durations; "" where they are not wanted
	Class    string             // column of the classes; "" where they are not wanted
	Labels   [MostLabels]string // more columns whose texts are wanted; "": none
	// of the lines of a log, as nginx's log_format or Apache's LogFormat has it, where ~ is a blank
	// too; "": by the content
	Layout string
	// of durations that are numbers alone; 0: what the format says, which is seconds for most
	Unit time.Duration
	End  bool // a time is that of the end: the arrival is as much earlier as the task took
}

// A Record is one task of a trace. It has 16 bytes, since there are millions.
type Record struct {
	At   int64  // arrival in nanoseconds, since 1970 or another instant
	work uint64 // the class, and below it how long the task took
}

// tookBits are those of a duration, two years, beside which there is room for 255 classes.
const (
	tookBits    = 56
	mostTook    = 1<<tookBits - 1
	mostClasses = 1<<(64-tookBits) - 1
)

// Took is how long the task took in nanoseconds; 0 where no durations were read.
func (r Record) Took() int64 { return int64(r.work & mostTook) }

// MostLabels is how many columns may be read beside times, durations and classes.
const MostLabels = 3

// Labels are the texts of a column, and which of them each record has.
type Labels struct {
	Texts []string // the different ones, in the order in which they come in the file
	Where []string // of each where it comes first: line 3
	Of    []uint16 // by record: an index
}

// mostTexts is how many different ones a column may have.
const mostTexts = 1 << 16

// Class is an index into Trace.Classes; 0 where no classes were read.
func (r Record) Class() int { return int(r.work >> tookBits) }

// A Trace is what was read. It is shared by all who read the file, and never changed.
type Trace struct {
	Records []Record // by At
	Classes []string // in the order in which they come in the file
	Labels  [MostLabels]Labels
	Columns []string // their names, where the file or its format has them
	Notes   []string // what is odd in the file, a line about each
	// the note about records that were out of order
	disorder string
	zone     int64 // of the first time, nanoseconds east of UTC
	dated    bool  // times are dates, or since 1970
}

// kept are the traces that were read last. A scenario is checked several times before it runs, and
// its arrivals and its workload may read one file.
var kept struct {
	sync.Mutex
	traces []keptTrace
}

type keptTrace struct {
	of    Source
	size  int64
	since time.Time
	trace *Trace
}

const mostKept = 2

// holds reports whether what s reads has all that other reads: more columns may be read than are
// looked at.
func (s Source) holds(other Source) bool {
	if other.Duration == "" && !s.End {
		other.Duration, other.Unit = s.Duration, s.Unit
	}
	if other.Class == "" {
		other.Class = s.Class
	}
	for i, column := range s.Labels {
		if other.Labels[i] == "" {
			other.Labels[i] = column
		}
	}
	return s == other
}

// Read reads the file, or returns what was read of it before if it has not changed since: that may
// have durations and classes that s does not ask for. An error is one line, about the file, a
// column or a line of the file.
func (s Source) Read() (*Trace, error) {
	if s.End && s.Duration == "" {
		return nil, errors.New("at: the time of an end needs the column of the durations")
	}
	info, err := os.Stat(s.File)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Op = "open" // as every other file that is named
		}
		return nil, fmt.Errorf("file: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("file: %s is a directory: one of a run keeps histograms, "+
			"and no task's own times; attack --vegeta FILE writes those", s.File)
	}
	if !info.Mode().IsRegular() { // it is read several times
		return nil, fmt.Errorf("file: %s is not a regular file", s.File)
	}
	kept.Lock()
	defer kept.Unlock()
	for _, k := range kept.traces {
		if k.of.holds(s) && k.size == info.Size() && k.since.Equal(info.ModTime()) {
			return k.trace, nil
		}
	}
	f, err := os.Open(s.File)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	kept.traces = slices.DeleteFunc(kept.traces, func(k keptTrace) bool { return s.holds(k.of) })
	if len(kept.traces) == mostKept {
		kept.traces = slices.Delete(kept.traces, 0, 1) // let go before there is more
	}
	t, err := s.read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("file: %s: %s", s.File, text.OneLine(err.Error()))
	}
	kept.traces = append(kept.traces, keptTrace{s, info.Size(), info.ModTime(), t})
	return t, nil
}
