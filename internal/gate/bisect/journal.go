package bisect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

const JournalFile = "bisect.json"

// A Journal stores the gates of a search in a file. Each gate has its own directory next to the
// file. A nil Journal stores nothing.
type Journal struct {
	dir  string
	held *files.LockedDir
	data journalData
}

type journalData struct {
	text.Head
	Good      string           `json:"good"`
	Bad       string           `json:"bad"`
	Directory string           `json:"directory"` // directory of the module in the repository
	Settings  measure.Settings `json:"settings"`
	Judge     judge.Options    `json:"judge"`
	Answers   []answer         `json:"answers"`
	// UnderWay is the gate that began last, or "" once it has ended. After an interrupt its
	// directory contains partial results.
	UnderWay string `json:"under_way"`
}

type answer struct {
	Gate   string         `json:"gate"`
	Report verdict.Report `json:"report"`
}

const maxBytes = 64 << 20

// OpenJournal opens or creates the journal in the directory. force replaces it. A changed number of
// fresh pairs applies to later gates.
func OpenJournal(dir string, h *measure.History, o measure.Options, force bool) (*Journal, error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	held, err := files.LockDir(dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: dir, held: held, data: journalData{Head: text.NewHead("bisect journal"),
		Good: h.Commits[0].Hash, Bad: h.Commits[len(h.Commits)-1].Hash, Directory: h.Directory,
		Settings: o.Settings(""), Judge: o.Judge}}
	if err := j.resume(force); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Journal) path() string { return filepath.Join(j.dir, JournalFile) }

func (j *Journal) resume(force bool) error {
	data, err := files.ReadFile(j.path(), maxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return j.emptyOnly()
	case err != nil:
		return err
	}
	var before journalData
	if err := json.Unmarshal(data, &before); err != nil {
		return fmt.Errorf("%s: %w", j.path(), err)
	}
	if before.Version != j.data.Version {
		return fmt.Errorf("%s: version %d, and this program knows version %d", j.path(),
			before.Version, j.data.Version)
	}
	if force {
		return j.write()
	}
	if what := before.differs(j.data); what != "" {
		return fmt.Errorf("%s belongs to another search: %s (--force replaces the search, "+
			"another --out keeps it)",
			j.dir, what)
	}
	j.data.Answers, j.data.UnderWay = before.Answers, before.UnderWay
	return nil
}

func (j *Journal) emptyOnly() error {
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != files.LockName {
			return fmt.Errorf("--out: %s contains %s, and no search (it has no %s)", j.dir, e.Name(),
				JournalFile)
		}
	}
	return nil
}

func (d journalData) differs(now journalData) string {
	switch {
	case d.Good != now.Good:
		return fmt.Sprintf("GOOD was %.12s, and now is %.12s", d.Good, now.Good)
	case d.Bad != now.Bad:
		return fmt.Sprintf("BAD was %.12s, and now is %.12s", d.Bad, now.Bad)
	case d.Directory != now.Directory:
		return "the directory is a different one"
	}
	if what := measure.Changed(d.Settings, now.Settings); what != "" {
		return what
	}
	d.Judge.FreshPairs = now.Judge.FreshPairs
	return measure.Changed(d.Judge, now.Judge)
}

func (j *Journal) Len() int { return len(j.data.Answers) }

func (j *Journal) Close() error { return j.held.Release() }

func directoryOf(q Question) string {
	return fmt.Sprintf("%s-%s-%s", q.Stage, q.Base.Short(), q.Head.Short())
}

// If ctx ends, the next call with this question continues the gate.
func (j *Journal) Measure(
	ctx context.Context, q Question, o measure.Options, watch measure.Watch,
) (r *verdict.Report, dir string, err error) {
	name := directoryOf(q)
	dir = filepath.Join(j.dir, name)
	o.Base, o.Head, o.Out = q.Base.Hash, q.Head.Hash, dir
	o.Resume, o.AnyPairs = q.More || j.data.UnderWay == name, true
	o.Force = !o.Resume
	if j.data.UnderWay = name; q.Followed == nil {
		o.Judge = q.Rule
	} else {
		o.Judge.FreshPairs = q.Rule.FreshPairs // o.Judge still applies to the controls
		o.Rule, o.Allow = &q.Rule, slices.Concat(o.Allow, q.Allow)
		o.Packages, o.Bench = []string{q.Followed.Package}, measure.Only(q.Followed.Benchmark)
		o.Metrics = []string{q.Followed.Metric}
	}
	if err := j.write(); err != nil {
		return nil, dir, err
	}
	r, err = measure.Gate(ctx, o, watch)
	if ctx.Err() != nil {
		return nil, dir, context.Cause(ctx)
	}
	j.data.UnderWay = ""
	return r, dir, errors.Join(err, j.write())
}

func (j *Journal) find(q Question) *verdict.Report {
	if j == nil {
		return nil
	}
	for i := range j.data.Answers {
		if a := &j.data.Answers[i]; a.Gate == directoryOf(q) {
			return &a.Report
		}
	}
	return nil
}

func (j *Journal) keep(q Question, r *verdict.Report) error {
	if j == nil || j.find(q) != nil {
		return nil
	}
	j.data.Answers = append(j.data.Answers, answer{directoryOf(q), *r})
	return j.write()
}

func (j *Journal) write() error {
	data, err := json.MarshalIndent(j.data, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(j.path(), append(data, '\n'))
}
