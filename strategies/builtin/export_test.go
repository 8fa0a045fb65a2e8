package builtin

import "time"

// Histogram is histogram.
type Histogram struct{ h histogram }

// Add is add.
func (h *Histogram) Add(d time.Duration) { h.h.add(d) }

// Quantile is quantile.
func (h *Histogram) Quantile(q float64) time.Duration { return h.h.quantile(q) }
