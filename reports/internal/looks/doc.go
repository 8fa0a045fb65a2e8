// Package looks contains the browser tests of all pages except the page of a run.
package looks
