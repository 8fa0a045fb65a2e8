// Package transport has parts of HTTP clients: a Transport that sends every request once (once.go),
// Hosts and a Dealer, which assign calls to connections (hosts.go, streams.go, waiting.go), and
// Watch, which counts frames of HTTP/2 (watched.go).
package transport
