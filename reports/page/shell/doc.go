// Package shell contains the common parts of all pages. Another page is one file that fills a Page
// and renders it. Sections are templ components (make generate compiles a .templ to Go).
//
// Components escape text and attributes. Unescaped text has the type HTML, so each conversion to it
// must be reviewed. The policy of a page forbids all requests, and allows style and script by their
// hashes.
//
// OfSweeps, OfFindings and OfSearch summarise results in an Answer by rules (headline.go, facts.go,
// study.go, search.go). A sentence is true for each strategy that it names. Only significant
// differences count (apart.go). SUSPECT and INVALID scenarios never win (sweep.go).
package shell
