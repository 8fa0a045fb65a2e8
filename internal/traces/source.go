package traces

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// A Source says what is read of which file.
type Source struct {
	File     string
	Time     string // column of the times: its number from 1, or its name
	Duration string // column of the durations; "" where they are not wanted
	End      bool   // a time is that of the end: the arrival is as much earlier as the task took
}

// A Record is one task of a trace.
type Record struct {
	At   int64 // arrival in nanoseconds, since 1970 or another instant
	Took int64 // nanoseconds; 0 where no durations were read
}

// A Trace is what was read. It is shared by all who read the file, and never changed.
type Trace struct {
	Records []Record // by At
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

// Read reads the file, or returns what was read of it before if it has not changed since. An error
// is one line, about the file, a column or a line of the file.
func (s Source) Read() (*Trace, error) {
	if s.End && s.Duration == "" {
		return nil, errors.New("at: the time of an end needs the column of the durations")
	}
	info, err := os.Stat(s.File)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	if !info.Mode().IsRegular() { // it is read several times
		return nil, fmt.Errorf("file: %s is not a regular file", s.File)
	}
	kept.Lock()
	defer kept.Unlock()
	for _, k := range kept.traces {
		if k.of == s && k.size == info.Size() && k.since.Equal(info.ModTime()) {
			return k.trace, nil
		}
	}
	f, err := os.Open(s.File)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if len(kept.traces) == mostKept {
		kept.traces = append([]keptTrace(nil), kept.traces[1:]...) // let go before there is more
	}
	t, err := s.read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("file: %s: %s", s.File, oneLine(err))
	}
	kept.traces = append(kept.traces, keptTrace{s, info.Size(), info.ModTime(), t})
	return t, nil
}

// oneLine is the error's text: that of a library may have several lines.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
