package observed

import (
	"fmt"
	"time"
)

// Spell writes nanoseconds as a duration of three digits.
func Spell(ns float64) string {
	d := time.Duration(ns)
	unit := time.Duration(1)
	for d/unit >= 1000 || -d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// Percent puts a share into a sentence.
func Percent(format string, share float64) string {
	return fmt.Sprintf(format, fmt.Sprintf("%.0f %%", 100*share))
}
