package page

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/reports/results"
)

// maxSaid limits the numbers in a sentence. A name with its interval counts once.
const maxSaid = 5

var (
	listed = []*regexp.Regexp{regexp.MustCompile(`[0-9.]+ %`),
		regexp.MustCompile(`[0-9.]+ [mµn]?s\b`)}
	beyondIt = regexp.MustCompile(`[0-9.]+( [mµn]?s)? to ([0-9.]+ [mµn]?s\b)`)
)

func TestManyStrategies(t *testing.T) {
	const strategies, longest = 38, 1100
	seen := map[string]int{}
	look := func(seed uint64, name, text string) {
		seen[name]++
		if len(text) > longest {
			t.Errorf("seed %d: the caption of %s has %d characters: %s", seed, name, len(text), text)
		}
		for _, sentence := range strings.SplitAfter(beyondIt.ReplaceAllString(text, "$2"), ". ") {
			if len(sentence) > longest/2 {
				t.Errorf("seed %d: a sentence of %s has %d characters: %s", seed, name, len(sentence),
					sentence)
			}
			for _, kind := range listed {
				if n := len(kind.FindAllString(sentence, -1)); n > maxSaid {
					t.Errorf("seed %d: a sentence of %s lists %d: %s", seed, name, n, sentence)
				}
			}
			if n := strings.Count(sentence, "strategy_"); n > maxSaid+1 {
				t.Errorf("seed %d: a sentence of %s names %d: %s", seed, name, n, sentence)
			}
		}
	}
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		var lines []string
		for i := range strategies {
			for _, load := range []float64{0.5, 0.7, 0.9} {
				for _, c2 := range []int{1, 4, 16} {
					p99, done := r.ExpFloat64(), 100*r.Float64()
					if seed%2 == 0 {
						done = 100 - 5*r.Float64()
					}
					lines = append(lines, runLine(fmt.Sprintf("strategy_%d", i), fmt.Sprintf(
						"workload=hyperexp:c2=%d,mean=10ms/arrival=poisson/limit=4/load=%v", c2, load),
						fmt.Sprintf("%v ops/s 100 offered-ops/s %v goodput-ops/s %v shed/op "+
							"%d workload-c2 3 peak-inflight 0.03 p50-response-sec %v p99-response-sec %v "+
							"p99-response-low-sec %v p99-response-high-sec %v theory-p99-response-sec",
							done, done*r.Float64(), r.Float64()*float64(seed%3)/100, c2, p99,
							0.97*p99, 1.04*p99, p99*(1+float64(seed%2)))))
				}
			}
		}
		in := &reportInput{results: readRuns(t, lines...), timelines: map[*results.Run][]interval{},
			responses: map[*Cell]*hdrhistogram.Histogram{}}
		groups := Groups(in.results)
		for _, g := range groups {
			for _, c := range g.Cells {
				in.timelines[c.Cell[0]] = []interval{{end: 1, inFlight: 3},
					{end: 2, inFlight: 4 + 9*r.Float64(), queued: 100 * r.Float64()}}
				in.responses[c] = hdrhistogram.New(1, 1e12, 3)
				for range 500 {
					in.responses[c].RecordValue(int64(1e7 * r.ExpFloat64() * r.ExpFloat64()))
				}
			}
			for _, s := range g.Sweeps() {
				figures, _, err := in.chart(g, s)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range figures {
					kind, _, _ := strings.Cut(f.name, "-")
					look(seed, kind, f.caption)
					look(seed, kind+" in words", f.chart.Alt)
				}
				if a := forRules(g, s).Answer(); a.Headline != "" {
					look(seed, "answer", a.Headline)
					for _, fact := range a.Facts {
						look(seed, "fact", fact.Text)
					}
				}
			}
		}
		for _, set := range varianceSets(groups) {
			f, err := set.figure()
			if err != nil {
				t.Fatal(err)
			}
			look(seed, "variance", f.caption)
		}
	}
	for _, kind := range []string{"response", "throughput", "distribution", "timeline", "variance",
		"answer", "fact"} {
		if seen[kind] == 0 {
			t.Errorf("no %s was looked at: %v", kind, seen)
		}
	}
}

// Of many classes, the chart must contain those with the lowest and the highest p99. A class
// without a p99 at the last load must not hide them.
func TestWorstIsDrawn(t *testing.T) {
	var lines []string
	for i := range 9 {
		for _, load := range []float64{0.5, 0.9} {
			metrics := fmt.Sprintf("100 ops/s 100 offered-ops/s %v p99-response-sec",
				load*float64(i+1))
			if i == 4 && load == 0.9 {
				metrics = "0 ops/s 100 offered-ops/s 1 abandoned/op"
			}
			lines = append(lines, runLine(fmt.Sprintf("strategy_%d", i),
				fmt.Sprintf("workload=w/arrival=poisson/limit=4/load=%v", load), metrics))
		}
	}
	g := Groups(readRuns(t, lines...))[0]
	drawn := map[string]bool{}
	for _, c := range drawnCells(g, g.Sweeps()[0]) {
		drawn[c.Strategy] = true
	}
	if len(drawn) != maxLines || !drawn["strategy_0"] || !drawn["strategy_8"] ||
		drawn["strategy_4"] {
		t.Errorf("drawn are %v", drawn)
	}
}
