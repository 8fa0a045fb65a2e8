// Package requests makes the requests of an attack from templates, curl commands and HAR files. A
// Request fills in the {{…}} of a template for each call, with values of functions and of rows of a
// file, escaped for their position. A Frame writes HTTP/1.1 directly, at a fraction of the cost of
// encoding each request. Templates that would fail or grow without limit are rejected.
package requests
