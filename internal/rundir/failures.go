package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/text"
)

type FailedRun struct {
	Name     string          `json:"name"`
	Seed     uint64          `json:"seed"`
	Failures []FailedAnswers `json:"failures"`
}

// An answer that fails a check is counted under the check and under its status.
type FailedAnswers struct {
	What   string       `json:"what"`            // a status, an error, or the name of a check
	Count  int          `json:"count,omitempty"` // 0 if unknown
	Bodies []FailedBody `json:"bodies,omitempty"`
}

// A FailedBody is the beginning of the body of an early failed answer, without secrets.
type FailedBody struct {
	Seq    uint64 `json:"seq"`
	Status int    `json:"status"`
	Type   string `json:"type,omitempty"`
	Text   string `json:"text"`
	Cut    bool   `json:"cut,omitempty"`
}

func ReadFailures(path string) (all []FailedRun, err error) {
	text, err := files.ReadFile(path, MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, PathError(path, err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

func WriteFailures(path string, all []FailedRun) error {
	return Replace(path, func(to io.Writer) error { return text.WriteJSON(to, all) })
}
