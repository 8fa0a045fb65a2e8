// Package manual tests the documents: it runs the blocks of the README and of the pages in docs and
// examples as a reader would, and checks the other files that the project ships. It has no code of
// its own.
package manual
