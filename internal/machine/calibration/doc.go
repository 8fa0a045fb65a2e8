// Package calibration checks the tool itself. Machine measures the accuracy of this machine under
// the real clock. The cases of Known test whether runs under the virtual clock agree with queueing
// theory. Control must fail, which shows that the checks can fail.
package calibration
