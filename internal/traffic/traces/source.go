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

type Source struct {
	File     string
	Time     string            // column of the times: its number from 1, or its name; "": none
	Duration string            // column of the durations; "" if not wanted
	Class    string            // column of the classes; "" if not wanted
	Labels   [MaxLabels]string // further columns to read as texts; "": none
	// of a log, in the syntax of nginx's log_format or Apache's LogFormat; ~ is a blank, too; "":
	// by the content
	Layout string
	// of durations that are plain numbers; 0: the format's, usually seconds
	Unit time.Duration
	End  bool // times are ends: the arrival is earlier by the duration
}

// A Record is one task of a trace. It has 16 bytes, because there are millions.
type Record struct {
	At   int64  // arrival in nanoseconds, since 1970 or another instant
	work uint64 // the class, and in the lower bits the duration
}

// tookBits are the bits of a duration, two years, which leaves room for 255 classes.
const (
	tookBits   = 56
	maxTook    = 1<<tookBits - 1
	maxClasses = 1<<(64-tookBits) - 1
)

// Took returns the duration in nanoseconds, or 0 if no durations were read.
func (r Record) Took() int64 { return int64(r.work & maxTook) }

const MaxLabels = 3

type Labels struct {
	Texts []string // distinct, in the order of the file
	Where []string // first occurrence of each: line 3
	Of    []uint16 // by record: an index
}

const maxTexts = 1 << 16

// Class returns an index into Trace.Classes, or 0 if no classes were read.
func (r Record) Class() int { return int(r.work >> tookBits) }

// A Trace is the contents of a file. All readers of the file share it, so it must not change.
type Trace struct {
	Records  []Record // by At
	Classes  []string // in the order of the file
	Labels   [MaxLabels]Labels
	Columns  []string // their names, if the file or its format has them
	Notes    []string // irregularities of the file, one per line
	disorder string
	zone     int64 // of the first time, nanoseconds east of UTC
	dated    bool  // times are dates, or since 1970
}

// kept caches the latest traces, because a scenario is validated several times, and its arrivals
// and its workload may read the same file.
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

const maxKept = 2

// covers reports whether s reads everything that other reads. It may read more columns.
func (s Source) covers(other Source) bool {
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

// Read returns the earlier result if the file has not changed since, which may have additional
// columns. An error is one line, about the file, a column or a line of the file.
func (s Source) Read() (*Trace, error) {
	if s.End && s.Duration == "" {
		return nil, errors.New("at: at=end needs the column of the durations")
	}
	info, err := os.Stat(s.File)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			e.Op = "open" // as for all other files
		}
		return nil, fmt.Errorf("file: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("file: %s is a directory: run directories contain histograms, and "+
			"no times of single tasks; to record these, use attack --vegeta FILE and vegeta "+
			"encode", s.File)
	}
	if !info.Mode().IsRegular() { // it is read several times
		return nil, fmt.Errorf("file: %s is not a regular file", s.File)
	}
	kept.Lock()
	defer kept.Unlock()
	for _, k := range kept.traces {
		if k.of.covers(s) && k.size == info.Size() && k.since.Equal(info.ModTime()) {
			return k.trace, nil
		}
	}
	f, err := os.Open(s.File)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	kept.traces = slices.DeleteFunc(kept.traces, func(k keptTrace) bool { return s.covers(k.of) })
	if len(kept.traces) == maxKept {
		kept.traces = slices.Delete(kept.traces, 0, 1) // release memory before reading more
	}
	t, err := s.read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("file: %s: %s", s.File, text.OneLine(err.Error()))
	}
	kept.traces = append(kept.traces, keptTrace{s, info.Size(), info.ModTime(), t})
	return t, nil
}
