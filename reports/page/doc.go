// Package page makes a report of one run: a page for a browser that needs no other file and no
// network, and the charts on it as files. Where studies speak in the results, it begins with their
// verdicts and has a section for each, with the runs that were made for it.
//
// A Drawer adds figures of its own, drawn from the same results whenever the report is.
package page
