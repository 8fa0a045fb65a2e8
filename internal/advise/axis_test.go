package advise

import "testing"

func TestSmallest(t *testing.T) {
	for low := -1; low < 3; low++ {
		for most := low; most < 20; most++ {
			for want := low + 1; want <= most+1; want++ {
				for _, step := range []int{1, 2, 5, 100} {
					calls := 0
					got := smallest(low, most, step, func(n int) bool {
						if calls++; n <= low || n > most {
							t.Fatalf("from %d to %d: %d is tried", low, most, n)
						}
						return n >= want
					})
					if got != want || calls > 10 {
						t.Errorf("from %d to %d by %d: %d after %d calls, want %d", low, most, step, got,
							calls, want)
					}
				}
			}
		}
	}
}
