//go:build js && wasm

// Command wasm is the playground's program. It gives a script two functions: poolbench.run and
// poolbench.choices.
package main

import (
	"context"
	"syscall/js"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/playground"
)

// Values are objects of the script. encoding/json would be a twentieth of the program.
func main() {
	js.Global().Set("poolbench", map[string]any{
		"run": js.FuncOf(func(_ js.Value, args []js.Value) any {
			w, done := written(args[0]), args[1]
			go func() {
				a, err := playground.Run(context.Background(), w)
				if err != nil {
					done.Invoke(map[string]any{"error": err.Error()})
					return
				}
				done.Invoke(object(a))
			}()
			return nil
		}),
		"choices": js.FuncOf(func(js.Value, []js.Value) any {
			var all []any
			for _, c := range playground.Choices() {
				all = append(all, map[string]any{"name": c.Name, "summary": c.Summary,
					"useIf": c.UseIf, "queue": c.Queue, "sheds": c.Sheds})
			}
			return all
		}),
	})
	select {}
}

func written(of js.Value) bench.Encoded {
	return bench.Encoded{
		Strategy: of.Get("strategy").String(),
		Workload: of.Get("workload").String(),
		Target:   "none",
		Arrival:  of.Get("arrival").String(),
		Limit:    of.Get("limit").Int(),
		Queue:    of.Get("queue").Int(),
		Load:     of.Get("load").Float(),
		Rate:     of.Get("rate").Float(),
		Tasks:    of.Get("tasks").Int(),
		Warmup:   0.1,
		Seed:     1,
	}
}

func object(a *playground.Answer) map[string]any {
	metrics := map[string]any{}
	for _, m := range a.Metrics {
		metrics[m.Unit] = m.Value
	}
	reasons := []any{}
	for _, why := range a.Reasons {
		reasons = append(reasons, why)
	}
	return map[string]any{"metrics": metrics, "rate": a.Rate, "mean": a.Mean,
		"verdict": a.Verdict, "reasons": reasons, "curve": points(a.Curve),
		"inFlight": points(a.InFlight), "queued": points(a.Queued)}
}

// points returns alternating x and y.
func points(of []playground.Point) any {
	all := []any{}
	for _, p := range of {
		all = append(all, p.X, p.Y)
	}
	return all
}
