// Package looks contains the browser tests of all pages except that of a run. It has no code of its
// own.
package looks
