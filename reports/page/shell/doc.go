// Package shell contains the common parts of all pages: the head with its policy and style, the
// first screen, the navigation, the sections and the footer. A further page is one file that fills
// a Page and renders it. Its sections are templ components (make generate compiles a .templ to Go),
// which may use the shell's components, such as Figure and Listed.
//
// Components escape text and attributes, and reject executable URLs. Unescaped text has the type
// HTML, so each conversion to it must be reviewed. The policy of a page forbids all requests, and
// allows its style and script by their hashes.
//
// OfSweeps, OfFindings and OfSearch summarise results in an Answer: a headline, a few facts and a
// next command, for pages and terminals. Rules derive the text from the numbers (headline.go,
// facts.go, study.go, search.go), so a sentence is true for each strategy that it names. A
// difference counts only if it is significant (apart.go). SUSPECT and INVALID scenarios never win
// (sweep.go). Strategies that coincide are one class (class.go).
package shell
