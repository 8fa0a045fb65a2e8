package workloads

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
)

func TestJSONIsDoubled(t *testing.T) {
	for n := range 8 {
		w := newDoubler(n)
		text, err := json.Marshal(w.object)
		if want := 27<<n - 20; err != nil || len(text) != want {
			t.Errorf("n=%d: %d bytes, %v; want %d", n, len(text), err, want)
		}
		copied, err := w.roundTrip(context.Background())
		if err != nil || leaves(t, copied) != 1<<n {
			t.Errorf("n=%d: read back, %d leaves, %v", n, leaves(t, copied), err)
		}
	}
}

// leaves returns the number of leaves. Every second object must have two equal children.
func leaves(t *testing.T, v any) int {
	object := v.(map[string]any)
	if len(object) == 1 && object["a"] == 1. {
		return 1
	}
	if len(object) != 2 || !reflect.DeepEqual(object["first"], object["second"]) {
		t.Fatalf("read back %v", v)
	}
	return 2 * leaves(t, object["first"])
}
