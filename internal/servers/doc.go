// Package servers starts PostgreSQL, Redis and RabbitMQ on this machine, for tests and for commands
// that kill a server to detect lost data.
//
// Each server listens only on loopback and has a random password. On Linux a server ends with the
// process that started it. On other systems it continues until it is stopped.
package servers
