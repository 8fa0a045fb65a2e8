// Package machine observes the machine and the Go runtime during a run.
//
// A Witness (witness.go) measures stalls (hiccups.go), stolen CPU time and pressure (pressure.go),
// and what the runtime reports (runtime.go). A Meter counts outcomes and responses while a run goes
// on (meter.go). A Calibration finds the time of CPU work (calibration.go), TimeAlone that of any
// call (alone.go). StartProfiles and StartRecorder take profiles and flight recordings
// (profiles.go, recorder.go); ProfileLabels mark the goroutines of strategy, task and harness
// (labels.go). WaitForProgress finds hangs (watchdog.go), and a Mark the stacks of one run's
// goroutines (stacks.go). Memory, CPUTime and Descriptors return what the process may use and has
// used.
package machine
