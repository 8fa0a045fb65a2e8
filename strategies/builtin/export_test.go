package builtin

import "time"

// Histogram exports histogram for tests.
type Histogram struct{ h histogram }

// Add calls add.
func (h *Histogram) Add(d time.Duration) { h.h.add(d) }

// Quantile calls quantile.
func (h *Histogram) Quantile(q float64) time.Duration { return h.h.quantile(q) }
