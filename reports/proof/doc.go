// Package proof has the pages of what is put to the proof rather than compared: the tool on this
// machine by calibrate (calibration.go), a strategy under kill -9 by crash (crash.go). A further
// one is a file: it words its finding, and fills a shell.Page.
package proof
