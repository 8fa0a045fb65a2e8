package strategies

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/files"
)

// A DeadLetter is the record of a task that its strategy gave up after the last attempt, for
// somebody to inspect.
type DeadLetter struct {
	Time     time.Time `json:"time"`     // when it was given up
	Task     any       `json:"task"`     // what it was, enough to submit it again
	Attempts int       `json:"attempts"` // all of which failed
	Error    string    `json:"error"`    // of the last one
}

// DeadLetters stores dead letters. Strategies call Add from several goroutines at once; it returns
// nil once the letter is stored, or the reason why it is not.
type DeadLetters interface{ Add(DeadLetter) error }

// A DeadLetterSink wraps another sink and keeps a dead letter of each exhausted task
// (ErrExhausted). It is a sink, not a part of the strategies that retry, so every strategy that
// retries can have dead letters, in this package or not.
//
// If a letter cannot be kept, its error joins the task's, after the *ExhaustedError.
type DeadLetterSink struct {
	Next    Sink        // is told of all tasks; required
	Letters DeadLetters // required
	// Describe returns the value to write for a task; nil: its Arg. It is called before Next gets
	// the task back, so it may read the task but must copy data that will be reused.
	Describe func(*Task) any
}

// Done keeps a letter if t is exhausted, and passes t on.
func (s *DeadLetterSink) Done(t *Task, r Result) {
	if exhausted, is := errors.AsType[*ExhaustedError](r.Err); is {
		letter := DeadLetter{Time: time.Now(), Task: t.Arg, Attempts: exhausted.Attempts}
		if s.Describe != nil {
			letter.Task = s.Describe(t)
		}
		if exhausted.Last != nil {
			letter.Error = exhausted.Last.Error()
		}
		if err := s.Letters.Add(letter); err != nil {
			r.Err = fmt.Errorf("%w; its dead letter was not kept: %w", r.Err, err)
		}
	}
	s.Next.Done(t, r)
}

// A DeadLetterList keeps letters in memory, for tests and for programs that look at them before
// they end. The zero value is ready. It has no bound.
type DeadLetterList struct {
	mu      sync.Mutex
	letters []DeadLetter
}

// Add never fails.
func (l *DeadLetterList) Add(d DeadLetter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.letters = append(l.letters, d)
	return nil
}

// All returns a copy, in the order of arrival.
func (l *DeadLetterList) All() []DeadLetter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.letters)
}

// A DeadLetterFile appends each letter to a file as one line of JSON, in one write and without a
// buffer of its own. So after the process is killed the file has every letter whose Add has
// returned. (A letter is not synced to the disk, and may be lost with the machine.)
type DeadLetterFile struct {
	mu   sync.Mutex
	file io.WriteCloser
	torn bool // the last line has no end
}

// OpenDeadLetterFile opens the file for appending, or creates it for its owner alone: letters hold
// what tasks were about. A last line without an end, as a full disk leaves behind, is ended first,
// so that it spoils no other.
func OpenDeadLetterFile(name string) (*DeadLetterFile, error) {
	file, err := files.Open(name, os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	torn, err := endsTorn(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dead letters: %w", err), file.Close())
	}
	return &DeadLetterFile{file: file, torn: torn}, nil
}

// endsTorn says whether the file's last byte is other than the end of a line.
func endsTorn(name string) (bool, error) {
	if !files.Replaces(name) { // no regular file has no last line
		return false, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// Add writes a line. It fails if the task has no JSON or the file cannot be written; then the
// letter is not in the file, or only the beginning of its line.
func (f *DeadLetterFile) Add(d DeadLetter) error {
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	line = append(line, '\n')
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.file.Write(line)
	if n > 0 {
		f.torn = line[n-1] != '\n'
	}
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}

// Close closes the file; an Add afterwards fails.
func (f *DeadLetterFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}
