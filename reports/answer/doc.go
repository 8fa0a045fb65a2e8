// Package answer says what results mean, in a sentence, a few facts and a next command: what the
// first screen of a page shows, and a terminal's first lines may.
//
// Rules make the words from the numbers (headline.go, facts.go, study.go), so that a sentence holds
// of each strategy that it speaks of. A difference is one only where the repetitions tell it
// (apart.go); scenarios that are doubted never win (Sweep.fit); strategies that coincide are one
// class (class.go).
package answer
