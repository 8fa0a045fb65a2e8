// Package servers starts PostgreSQL, Redis and RabbitMQ on this machine, for tests and for commands
// that kill a server to see what is lost.
//
// Each listens on loopback only, has a random password, and keeps its files in one directory. On
// Linux a server ends when the process that started it ends. Elsewhere it runs until it is stopped.
// The files of a temporary directory stay until then.
package servers
