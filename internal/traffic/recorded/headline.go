package recorded

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

// Headline states whether formulas or a built-in process are sufficient to size a pool, or the file
// must be played.
func (d *Document) Headline() string {
	rate := text.Rate(d.Rate)
	process := d.process()
	switch {
	case d.Resembles == nil:
		return "Too few tasks to identify the arrival process: replay the file"
	case d.swings():
		return fmt.Sprintf("The rate has a cycle of %s and varies by %s: replay the file, or its "+
			"peak", text.Seconds(d.Swing.Period), text.WholeShare(d.Swing.Amplitude))
	case d.swung():
		return fmt.Sprintf("The rate varies, up to %s the mean in the busiest tenth: replay the "+
			"file, or this tenth", times(d.Peak.Rate/d.Rate))
	case process == "":
		return "No built-in process matches the arrivals: replay the file"
	case process == "constant":
		return "Tasks arrive evenly, " + rate
	case process == "poisson":
		return "Tasks arrive independently, as queueing formulas assume, " + rate
	case process == "bulk":
		return "Tasks arrive in batches, so formulas are too optimistic: replay the file"
	}
	return "Tasks arrive in bursts, so formulas are too optimistic: replay the file"
}

func (d *Document) name() string {
	name, _, _ := strings.Cut(d.Resembles.Arrival, ":")
	return name
}
