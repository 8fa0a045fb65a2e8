// Package calibration checks the tool itself. It measures the accuracy of this machine under the
// real clock, and tests whether runs under the virtual clock agree with queueing theory.
//
//	for _, c := range calibration.Known(0.1) {
//		r, err := bench.Run(ctx, c.Scenario)
//		for _, v := range c.Judge(r) { … } // measured, exact, tolerance
//	}
//	readings, err := calibration.Machine(ctx)
//
// One case must fail, which shows that the checks can fail. Control limits the generator and
// measures from the submit, as many load tests do.
package calibration
