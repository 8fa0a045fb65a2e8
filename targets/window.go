package targets

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

func windowKeys(limit, window string) []param.Key {
	return []param.Key{
		{Name: "limit", Kind: param.Int, Default: limit,
			Doc: "calls served per window, at least 1"},
		{Name: "window", Kind: param.Duration, Default: window, Doc: "length of the window"},
	}
}

func windowRate(v param.Values) float64 {
	return float64(v.Int("limit")) / v.Duration("window").Seconds()
}

func checkWindow(limit int, window time.Duration) error {
	if limit < 1 {
		return fmt.Errorf("limit: must be at least 1, got %d", limit)
	}
	return checkPeriod("window", window)
}

// checkPeriod keeps sums of times within an int64, as maxFill does.
func checkPeriod(key string, d time.Duration) error {
	if d <= 0 || d > maxFill {
		return fmt.Errorf("%s: must be positive and at most %s, got %s", key,
			dist.FormatDuration(maxFill/time.Hour*time.Hour), dist.FormatDuration(d))
	}
	return nil
}
