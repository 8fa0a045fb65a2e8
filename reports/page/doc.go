// Package page makes the HTML report of a run directory: one self-contained file, and its charts as
// files. Results of studies come first, each with its verdict and its runs.
//
// Write (write.go) reads the directory, sorts its runs into groups of one scenario (groups.go) and
// sweeps that a chart can show (sweep.go), and fills a page (page.go) with sections (sections.go).
// figures.go, capacity.go and variance.go draw the figures, table.go makes the tables, captions.go
// and facts.go the text. first.go makes the first screen, by the rules of package shell. layout.go
// orders the rest. A Drawer adds figures of its own.
//
// The package also makes the pages of advise, with text and JSON (AdviceDocument: advice.go,
// advice_text.go, advice_page.go, schema.json), of calibrate (calibration.go) and of crash
// (crash.go). A further page is a file that fills a shell.Page.
package page
