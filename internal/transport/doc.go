// Package transport contains parts of HTTP clients. A Transport sends every request once (once.go).
// Hosts and a Dealer assign calls to connections (hosts.go, streams.go, waiting.go). Watch counts
// frames of HTTP/2 (watched.go).
package transport
