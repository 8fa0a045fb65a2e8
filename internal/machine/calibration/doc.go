// Package calibration says what may be believed: what this machine can measure under the real
// clock, and that the tool itself is right where theory knows the answer, under the virtual one.
//
//	for _, c := range calibration.Known(0.1) {
//		r, err := bench.Run(ctx, c.Scenario)
//		for _, v := range c.Judge(r) { … } // measured, exact, tolerance
//	}
//	readings, err := calibration.Machine(ctx)
//
// A check that cannot fail is worth nothing, so there is a case that must: Control, which limits
// the generator and counts from the submit, as many load tests do.
package calibration
