package bench

import "testing"

// TestLag: a generator that oversleeps is behind with the tasks that follow, too, until it has
// caught up; one that Submit holds up is not.
func TestLag(t *testing.T) {
	for _, test := range []struct {
		name   string
		submit int64 // that Submit takes for the second task, in ms; 4 for the others
		sleep  int64 // that the generator oversleeps before it
		want   []int64
	}{ // tasks are due every 10 ms
		{"punctual", 4, 0, []int64{0, 0, 0, 0, 0, 0, 0}},
		{"held up", 34, 0, []int64{0, 0, 0, 0, 0, 0, 0}},
		{"overslept", 4, 25, []int64{0, 25, 19, 13, 7, 1, 0}},
		{"overslept, then held up", 34, 5, []int64{0, 5, 5, 5, 5, 5, 5}},
	} {
		var l log
		returned := int64(-1)
		for i := range int64(len(test.want)) {
			due, submit := 10*i, int64(4)
			issue := max(due, returned)
			if i == 1 {
				issue, submit = issue+test.sleep, test.submit
			}
			r := l.next()
			r.due, r.issue, r.held = due, issue, returned >= due
			returned = issue + submit
		}
		for i, got := range newTrace([]log{l}).lags() {
			if got != test.want[i] {
				t.Errorf("%s: task %d has a lag of %d ms, want %d", test.name, i, got, test.want[i])
			}
		}
	}
}
