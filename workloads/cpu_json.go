//go:build !js

package workloads

import (
	"context"
	"encoding/json"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

var _ = register(Spec{
	Name: "cpu_json",
	Summary: "writes and reads back as JSON an object that holds itself twice, n times over: " +
		"27·2^n bytes of text",
	Source: "pattern: JSON denial of service, an object doubled 20 times",
	Kind:   CPU,
	Keys: []param.Key{
		{Name: "n", Kind: param.Int, Default: "9",
			Doc: "doublings, from 0 to 20, each of which doubles the time and the memory of a task"},
	},
	New: func(_ uint64, v param.Values) (Workload, error) {
		mean, err := calibrated.Task(doubled{}, v.Int("n"))
		if err != nil {
			return nil, err
		}
		w := newDoubler(v.Int("n"))
		w.mean = mean
		return w, nil
	},
	Check: numberFrom("n", 0, mostDoublings),
})

// mostDoublings is the pattern's number: 28 MB of text, and a task of a second and nearly a
// gigabyte.
const mostDoublings = 20

type doubled struct{}

func (doubled) Sized(n int) machine.Doer { return newDoubler(n) }

// cpuJSON encodes one object, small because its parts are shared: only its text and the decoded
// copy grow as 2ⁿ. All tasks are equal, so the seed has no effect.
type cpuJSON struct {
	times
	object any
}

// newDoubler starts with the 7 bytes {"a":1}. A doubling of L bytes gives {"first":…,"second":…} of
// 2L+20, so n doublings give 27·2ⁿ − 20.
func newDoubler(n int) *cpuJSON {
	object := map[string]any{"a": 1}
	for range n {
		object = map[string]any{"first": object, "second": object}
	}
	return &cpuJSON{object: object}
}

// Do encodes and decodes, and checks ctx before each. It deliberately allocates: about 480 bytes in
// 7.5 pieces for each of the 2ⁿ⁺¹ objects in the text.
func (w *cpuJSON) Do(ctx context.Context, _ uint64) error {
	_, err := w.again(ctx)
	return err
}

// again returns a copy of the object, made by way of its text.
func (w *cpuJSON) again(ctx context.Context) (copied any, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(w.object)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &copied)
	return copied, err
}
