// Package servers starts PostgreSQL, Redis and RabbitMQ on this machine, for tests and for commands
// that kill a server to find lost data.
//
// Each listens only on loopback, has a random password, and keeps its files in one directory. On
// Linux a server ends with the process that started it. Elsewhere it, and the files of a temporary
// directory, stay until it is stopped.
package servers
