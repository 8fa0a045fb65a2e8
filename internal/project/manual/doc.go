// Package manual tests the documents: it runs the blocks of the README and of the pages in docs and
// examples as a reader would.
package manual
