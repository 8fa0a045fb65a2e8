// Package transport has what HTTP clients here share: a transport that sends a request once, and
// the streams that the connections of HTTP/2 and HTTP/3 have.
package transport
