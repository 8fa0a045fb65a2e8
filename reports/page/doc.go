// Package page makes the HTML report of a run directory: a self-contained file, and its charts as
// files. Results of studies come first, each with its verdict and its runs.
//
// Write (write.go) reads the directory and sorts its runs into groups of one scenario (groups.go),
// and these into sweeps that a chart can show (sweep.go). It fills a page (page.go) with sections
// (sections.go) in the order of layout.go. figures.go, capacity.go and variance.go draw the
// figures, table.go makes the tables, captions.go and facts.go the text, first.go the first screen.
// A Drawer adds figures.
//
// The package also makes the pages of advise (advice.go, with text, JSON and schema.json),
// calibrate (calibration.go) and crash (crash.go). Another page needs one file that fills a
// shell.Page.
package page
