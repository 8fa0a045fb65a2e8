// Package shell is what all pages have in common: the head with its policy and style, the first
// screen, the navigation, the sections and the footer. A further page is one file: it fills a Page
// and writes it; the bodies of its sections are components of its own (a .templ, of which make
// generate makes Go), which may use those of the shell: a Figure, Listed.
//
// Components escape text and attributes, and refuse URLs that run something. What is HTML already
// is of type HTML and nothing else: each conversion to it is a place to look at.
//
// A page is one file that asks for nothing: its policy forbids every request, and allows the one
// style and the one script by their hashes.
//
// # Answer
//
// Sums up results in a sentence, a few facts and a next command, for the first
// screen of a page and the first lines on a terminal.
//
// Rules make the words from the numbers (headline.go, facts.go, study.go), so that a sentence is
// true of each strategy it names. A difference counts only if the repetitions show it (apart.go);
// SUSPECT and INVALID scenarios never win (Sweep.fit); strategies that coincide are one class
// (class.go).
package shell
