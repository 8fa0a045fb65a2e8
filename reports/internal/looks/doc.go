// Package looks has the browser tests of all pages other than that of a run. It has no code of its
// own.
package looks
