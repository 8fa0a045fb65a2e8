// Package looks holds tests alone: those of how the pages beside that of a run look in a browser.
package looks
