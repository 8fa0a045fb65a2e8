// Package transport contains parts of HTTP clients. A Transport sends every request once. Hosts and
// a Dealer assign calls to connections. Watch counts frames of HTTP/2.
package transport
