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
			Doc: "number of doublings, from 0 to 20; each doubles the time and the memory of a " +
				"task"},
	},
	New: func(_ uint64, v param.Values) (Workload, error) {
		mean, err := calibrated.Task(jsonSizes{}, v.Int("n"))
		if err != nil {
			return nil, err
		}
		w := newDoubler(v.Int("n"))
		w.mean = mean
		return w, nil
	},
	Check: numberFrom("n", 0, maxDoublings),
})

// 20 doublings give 28 MB of text, and a task of about a second and almost a gigabyte.
const maxDoublings = 20

type jsonSizes struct{}

func (jsonSizes) Sized(n int) machine.Doer { return newDoubler(n) }

// Parts of the object are shared, so only its text and the decoded copy grow as 2ⁿ. The seed has no
// effect.
type cpuJSON struct {
	timeMoments
	object any
}

// Each doubling of {"a":1} turns L bytes into {"first":…,"second":…} of 2L+20 bytes, so n doublings
// give 27·2ⁿ − 20 bytes.
func newDoubler(n int) *cpuJSON {
	object := map[string]any{"a": 1}
	for range n {
		object = map[string]any{"first": object, "second": object}
	}
	return &cpuJSON{object: object}
}

// Do allocates about 480 bytes in 7.5 allocations for each of the 2ⁿ⁺¹ objects.
func (w *cpuJSON) Do(ctx context.Context, _ uint64) error {
	_, err := w.roundTrip(ctx)
	return err
}

func (w *cpuJSON) roundTrip(ctx context.Context) (copied any, err error) {
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
