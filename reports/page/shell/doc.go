// Package shell is what all pages have in common: the head with its policy and style, the first
// screen, the navigation, the sections and the footer. A further page is one file: it fills a Page
// and writes it; the bodies of its sections come from a template of its own, which may use those of
// the shell (Template).
//
// A page is one file that asks for nothing: its policy forbids every request, and allows the one
// style and the one script by their hashes.
package shell
