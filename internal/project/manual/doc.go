// Package manual tests the documents. It runs the blocks of the README and of the pages in docs and
// examples as a reader would, and checks other files that the project ships. It has no code of its
// own.
package manual
