package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

type failedRow struct {
	Name    string // the failed request, with its cell if there are several
	Count   string // "–" if not counted
	Share   string // of the requests
	Answers []failedAnswer
	count   int
}

type failedAnswer struct{ Title, Text string }

// Limits of the table of failures: rows, answers per row, and characters per answer.
const (
	maxFailed  = 20
	maxAnswers = 3
	maxLetters = 2048
)

func (in *reportInput) readFailures(path string) error {
	all, err := rundir.ReadFailures(path)
	in.failed = map[string][]rundir.FailedRun{}
	for _, run := range all {
		key := failedKey(run.Name, strconv.FormatUint(run.Seed, 10))
		in.failed[key] = append(in.failed[key], run)
	}
	return err
}

func failedKey(name, seed string) string { return name + "#" + seed }

func (in *reportInput) failedRows(g *Group) (rows []failedRow, rest int) {
	for _, c := range g.Cells {
		requests := 0
		for _, r := range c.Cell {
			requests += r.Iters
		}
		first := len(rows)
		for _, r := range c.Cell {
			for _, run := range in.failed[failedKey(r.Name, r.Seed)] {
				for _, f := range run.Failures {
					name := f.What
					if len(g.Cells) > 1 {
						name = strings.TrimSuffix(label(c)+", "+c.Place(), ", ") + ": " + f.What
					}
					at := slices.IndexFunc(rows[first:], func(row failedRow) bool {
						return row.Name == name
					})
					if at += first; at < first {
						at = len(rows)
						rows = append(rows, failedRow{Name: name})
					}
					rows[at].add(f)
				}
			}
		}
		for i := range rows[first:] {
			rows[first+i].format(requests)
		}
	}
	slices.SortStableFunc(rows, func(a, b failedRow) int { return cmp.Compare(b.count, a.count) })
	shown := min(len(rows), maxFailed)
	return rows[:shown], len(rows) - shown
}

func (r *failedRow) add(f rundir.FailedAnswers) {
	r.count += max(f.Count, 0)
	for _, b := range f.Bodies[:min(len(f.Bodies), maxAnswers-len(r.Answers))] {
		title := fmt.Sprintf("Request %d, status %d", b.Seq, b.Status)
		if b.Type != "" {
			title += ", " + b.Type
		}
		text := []rune(b.Text)
		if b.Cut || len(text) > maxLetters {
			text = append(text[:min(len(text), maxLetters):maxLetters], '…')
		}
		r.Answers = append(r.Answers, failedAnswer{title, string(text)})
	}
}

func (r *failedRow) format(requests int) {
	if r.Count = "–"; r.count > 0 {
		r.Count = strconv.Itoa(r.count)
	}
	if r.Share = "–"; r.count > 0 && requests > 0 {
		r.Share = text.Share(float64(r.count) / float64(requests))
	}
}

func (r failedRow) BodyTitle() string {
	if len(r.Answers) == 1 {
		return "The first answer, secrets masked"
	}
	return fmt.Sprintf("The first %d answers, secrets masked", len(r.Answers))
}
