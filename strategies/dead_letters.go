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

// A DeadLetter is the record of a task given up after its last attempt.
type DeadLetter struct {
	Time     time.Time `json:"time"`     // when the strategy gave up the task
	Task     any       `json:"task"`     // enough data to submit the task again
	Attempts int       `json:"attempts"` // number of attempts, all failed
	Error    string    `json:"error"`    // error of the last attempt
}

// DeadLetters stores dead letters. Add is safe for concurrent use and returns after the letter is
// stored.
type DeadLetters interface{ Add(DeadLetter) error }

// A DeadLetterSink wraps a sink and stores a dead letter for each exhausted task (ErrExhausted). If
// a letter cannot be stored, that error joins the task's error.
type DeadLetterSink struct {
	Next    Sink        // receives all tasks; required
	Letters DeadLetters // required
	// Describe returns the value to store; nil: the task's Arg. It runs before Next and must copy
	// data that the caller reuses.
	Describe func(*Task) any
}

// Done stores a letter if t is exhausted, then calls Next.
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
			r.Err = fmt.Errorf("%w, and its dead letter was not kept: %w", r.Err, err)
		}
	}
	s.Next.Done(t, r)
}

// A DeadLetterList keeps letters in memory.
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

// All returns a copy of the letters.
func (l *DeadLetterList) All() []DeadLetter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.letters)
}

// A DeadLetterFile appends each letter as one line of JSON in one write. It is not synced, so a
// power failure may lose letters.
type DeadLetterFile struct {
	mu         sync.Mutex
	file       io.WriteCloser
	incomplete bool // the last line is incomplete
}

// OpenDeadLetterFile opens or creates the file with mode 0600, because letters contain task data.
// It ends an incomplete last line, which a full disk can leave.
func OpenDeadLetterFile(name string) (*DeadLetterFile, error) {
	file, err := files.Open(name, os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	torn, err := endsIncomplete(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dead letters: %w", err), file.Close())
	}
	return &DeadLetterFile{file: file, incomplete: torn}, nil
}

func endsIncomplete(name string) (bool, error) {
	if !files.Replaces(name) { // only a regular file has a last line
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

// Add writes one line. A failed write may leave an incomplete line.
func (f *DeadLetterFile) Add(d DeadLetter) error {
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	line = append(line, '\n')
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.incomplete {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.file.Write(line)
	if n > 0 {
		f.incomplete = line[n-1] != '\n'
	}
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}

func (f *DeadLetterFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}
