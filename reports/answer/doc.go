// Package answer sums up results in a sentence, a few facts and a next command, for the first
// screen of a page and the first lines on a terminal.
//
// Rules make the words from the numbers (headline.go, facts.go, study.go), so that a sentence is
// true of each strategy it names. A difference counts only if the repetitions show it (apart.go);
// SUSPECT and INVALID scenarios never win (Sweep.fit); strategies that coincide are one class
// (class.go).
package answer
