// Package shell has what all pages share: the head with its policy and style, the first screen, the
// navigation, the sections and the footer. A further page is one file that fills a Page and renders
// it; the bodies of its sections are templ components of its own (make generate makes Go of a
// .templ), which may use those of the shell, such as Figure and Listed.
//
// Components escape text and attributes, and refuse URLs that run something. Text that is HTML
// already has the type HTML, so each conversion to it is a place to review. A page requests
// nothing: its policy forbids all requests, and allows its style and script by their hashes.
//
// OfSweeps, OfFindings and OfSearch sum up results in an Answer: a sentence, a few facts and a next
// command, for the first screen of a page and the first lines on a terminal. Rules make the words
// from the numbers (headline.go, facts.go, study.go, search.go), so that a sentence is true of each
// strategy it names. A difference counts only if the repetitions show it (apart.go); SUSPECT and
// INVALID scenarios never win (sweep.go); strategies that coincide are one class (class.go).
package shell
