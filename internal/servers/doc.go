// Package servers starts PostgreSQL, Redis and RabbitMQ on this machine: for tests, and for
// commands that kill a server to see what is lost.
//
// Each listens on loopback alone, has its files in one directory and a random password. On Linux a
// server ends when the process that has started it does, however that ends; elsewhere it stays
// until it is stopped, as do the files of a temporary directory everywhere.
package servers
