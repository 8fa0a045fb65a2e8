package durable

import (
	"slices"
	"testing"
	"time"
)

func TestAsynqCounts(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for days, want := range map[int]int{0: 2, 1: 3, 30: 32, 10_000: 93} {
		q := &asynqQueue{name: "x", opened: now.AddDate(0, 0, -days)}
		keys := q.counts(now)
		if len(keys) != 2+2*want {
			t.Errorf("opened %d days ago: %d keys, want the two totals and two for each of %d days",
				days, len(keys), want)
		}
		for _, key := range []string{q.key("failed"), q.key("processed") + ":2026-03-01",
			q.key("failed") + ":2026-03-02"} {
			if !slices.Contains(keys, key) {
				t.Errorf("opened %d days ago: %q is not removed", days, key)
			}
		}
	}
}
