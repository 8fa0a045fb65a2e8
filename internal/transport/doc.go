// Package transport has parts of HTTP clients: a Transport that sends every request once (once.go),
// and what clients with many streams on a connection need. Hosts and a Dealer assign calls to
// connections (hosts.go, streams.go, waiting.go), and Watch counts the frames of HTTP/2
// (watched.go).
package transport
