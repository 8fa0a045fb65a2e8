package advise

// smallest returns the smallest n in (low, most] with ok(n), or most+1. ok must be monotonic. The
// steps from low double.
func smallest(low, most, step int, ok func(int) bool) int {
	for ; low < most; step *= 2 {
		n := min(low+step, most)
		if ok(n) {
			return bisect(low, n, ok)
		}
		low = n
	}
	return most + 1
}

func bisect(low, high int, ok func(int) bool) int {
	for high-low > 1 {
		if mid := (low + high) / 2; ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
