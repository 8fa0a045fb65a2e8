package builtin

import "time"

type Histogram struct{ h histogram }

func (h *Histogram) Add(d time.Duration) { h.h.add(d) }

func (h *Histogram) Quantile(q float64) time.Duration { return h.h.quantile(q) }
