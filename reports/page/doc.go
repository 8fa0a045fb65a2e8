// Package page makes a report of one run: a page for a browser that needs no other file and no
// network, and the charts on it as files. If the results include studies, it begins with their
// verdicts and has a section for each, with its runs.
//
// Write (write.go) reads the directory, distributions and timeline included, sorts its runs into
// groups of one scenario (package grid), and fills a page (page.go) with sections (sections.go):
// the studies, the searches, the groups. Their figures are in figures.go, capacity.go and
// variance.go, their tables in package tables, their captions and facts in captions.go and
// facts.go.
//
// The first screen is made in first.go, by the rules of package answer; layout.go puts the sections
// together, in the shell that all pages share.
//
// A Drawer adds figures of its own, drawn from the same results whenever the report is.
//
// # Advice
//
// Shows what poolbench advise found: on a screen of 25 lines, as a page, and as a
// JSON document whose schema is schema.json.
//
// # Proof
//
// Has the pages of what is put to the proof rather than compared: the tool on this
// machine by calibrate (calibration.go), a strategy under kill -9 by crash (crash.go). A further
// one is a file: it words its finding, and fills a shell.Page.
//
// # Grid
//
// Puts the runs of a file in order for a page: groups of what may be compared, cells
// of one scenario, sweeps that one chart can show.
//
// # Tables
//
// Makes the tables of a group of runs, word by word: results, checks against theory
// and the oracle, what the validity of a run rests on, what the runtime says, bounds that were
// held.
package page
