// Package page makes the HTML report of a run directory: one file that needs no network, and its
// charts as files. Results of studies come first, each with its verdict and its runs.
//
// Write (write.go) reads the directory, distributions and timeline included, sorts its runs into
// groups of one scenario (groups.go) and sweeps that a chart can show (sweep.go), and fills a page
// (page.go) with sections (sections.go). figures.go, capacity.go and variance.go draw the figures,
// table.go makes the tables, captions.go and facts.go the text. first.go makes the first screen, by
// the rules of package shell; layout.go orders the rest.
//
// A Drawer adds figures of its own, drawn from the same results whenever the report is.
//
// Other pages are here too: of advise, also as text and JSON (AdviceDocument: advice.go,
// advice_text.go, advice_page.go, schema.json), of calibrate (calibration.go) and of crash
// (crash.go). A further one is a file that fills a shell.Page.
package page
