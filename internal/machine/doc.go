// Package machine observes the machine and the Go runtime during a run.
//
// A Witness (witness.go) measures stalls (hiccups.go), stolen CPU time and pressure (pressure.go),
// and the runtime's metrics (runtime.go). A Meter counts outcomes and responses during a run
// (meter.go). A Calibration measures the time of CPU work (calibration.go), and TimeAlone that of
// any call (alone.go). StartProfiles and StartRecorder record profiles and execution traces
// (profiles.go, recorder.go). ProfileLabels mark the goroutines of strategy, task and harness
// (labels.go). WaitForProgress detects hangs (watchdog.go), and a Mark identifies the goroutines of
// one run (stacks.go). Memory, CPUTime and Descriptors return the process's limits and use of
// resources.
package machine
