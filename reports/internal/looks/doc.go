// Package looks contains the browser tests of all pages except the page of a run. It has no code of
// its own.
package looks
