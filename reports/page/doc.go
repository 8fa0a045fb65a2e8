// Package page makes the HTML report of a run directory: a self-contained file, and its charts as
// files. Results of studies come first, each with its verdict and its runs. A Drawer adds figures.
//
// Write (write.go) reads the directory and sorts its runs into groups of one scenario (groups.go)
// and sweeps that a chart can show (sweep.go). It fills a page (page.go) in the order of layout.go.
//
// The package also makes the pages of advise, calibrate and crash.
package page
