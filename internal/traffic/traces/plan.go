package traces

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"time"
)

type Window struct {
	From, To string  // 09:00, on the day of the first record, or 10m after it; "": all
	Speed    float64 // factor: gaps shrink, durations do not
	Scale    float64 // factor of the number of tasks
}

type Plan struct {
	records []Record
	first   int // of the trace's records
	trace   *Trace
	origin  int64
	speed   float64
	scale   float64
}

const (
	maxFactor = 1000
	minFactor = 0.001
)

func (t *Trace) Plan(w Window) (*Plan, error) {
	for _, f := range []struct {
		name   string
		factor float64
	}{{"speed", w.Speed}, {"scale", w.Scale}} {
		if !(f.factor >= minFactor && f.factor <= maxFactor) {
			return nil, fmt.Errorf("%s: want %v to %v", f.name, minFactor, maxFactor)
		}
	}
	p := &Plan{records: t.Records, trace: t, origin: t.Records[0].At, speed: w.Speed,
		scale: w.Scale}
	if w.From != "" {
		at, err := t.when(w.From)
		if err != nil {
			return nil, fmt.Errorf("from: %w", err)
		}
		p.first, p.origin = p.countBefore(at), at
		p.records = p.records[p.first:]
	}
	if w.To != "" {
		at, err := t.when(w.To)
		if err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
		p.records = p.records[:p.countBefore(at)]
	}
	if p.Tasks() < 1 {
		return nil, errors.New("from, to: no record is in this part of the trace")
	}
	if p.scale*float64(len(p.records)) > maxRecords {
		return nil, fmt.Errorf("scale: want at most %d tasks", maxRecords)
	}
	return p, nil
}

func (p *Plan) countBefore(at int64) int {
	return sort.Search(len(p.records), func(i int) bool { return p.records[i].At >= at })
}

func (t *Trace) when(text string) (int64, error) {
	first := t.Records[0].At
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return first + int64(d), nil
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		clock, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if !t.dated {
			return 0, fmt.Errorf("the trace has no dates: want a duration after its first record, "+
				"got %q", text)
		}
		const day = int64(24 * time.Hour)
		midnight := (first+t.zone)/day*day - t.zone
		return midnight + int64(clock.Hour())*int64(time.Hour) +
			int64(clock.Minute())*int64(time.Minute) + int64(clock.Second())*int64(time.Second), nil
	}
	return 0, fmt.Errorf("want 09:00, or a duration after the first record, got %q", text)
}

func (p *Plan) Tasks() int { return int(math.Round(p.scale * float64(len(p.records)))) }

// Disorder reports, with the lines, that the file was not in the order of its times, because a
// clock was set back or files were concatenated. Otherwise it returns "".
func (p *Plan) Disorder() string { return p.trace.disorder }

// Due returns the arrival of a record since the begin of the window, at its speed.
func (p *Plan) Due(r Record) time.Duration {
	if p.speed == 1 {
		return time.Duration(r.At - p.origin)
	}
	return time.Duration(math.Round(float64(r.At-p.origin) / p.speed))
}

// stream separates the random numbers from those of arrivals and task times.
const stream = 0x7472616365000000

// Records returns a random sample of the records for a scale below 1. Above 1 it adds random
// copies, each at a random instant before the next record, so that the rate over time keeps its
// shape.
func (p *Plan) Records(seed uint64) []Record {
	all, _ := p.sampled(seed)
	return all
}

func (p *Plan) Labelled(seed uint64) (all []Record, labels [MaxLabels]Labels) {
	all, from := p.sampled(seed)
	labels = p.trace.Labels
	for i := range labels {
		of := &labels[i].Of
		if *of == nil {
			continue
		}
		if *of = (*of)[p.first:][:len(p.records)]; p.scale != 1 {
			*of = picked(*of, from)
		}
	}
	return all, labels
}

// sampled also returns the index of each task in the window, unless they are all of the records.
func (p *Plan) sampled(seed uint64) (all []Record, of []uint32) {
	if p.scale == 1 {
		return p.records, nil
	}
	r := rand.New(rand.NewPCG(seed, stream))
	whole := int(p.scale)
	left := p.Tasks() - whole*len(p.records) // to choose, each record at most once
	all = make([]Record, 0, p.Tasks())
	of = make([]uint32, 0, p.Tasks())
	for i, rec := range p.records {
		copies := whole
		if left > 0 && r.IntN(len(p.records)-i) < left { // Knuth, volume 2, algorithm S
			copies, left = copies+1, left-1
		}
		gap := int64(0)
		if i+1 < len(p.records) {
			gap = p.records[i+1].At - rec.At
		}
		from := len(all)
		for k := range copies {
			again := rec
			if k > 0 && gap > 0 {
				again.At += r.Int64N(gap)
			}
			all, of = append(all, again), append(of, uint32(i))
		}
		added := all[from:]
		sort.Slice(added, func(a, b int) bool { return added[a].At < added[b].At })
	}
	return all, of
}
