// Package manual holds what people read to what it says: the README, the pages of docs and
// examples, whose blocks a test runs as a reader would, and what the project ships with. It has no
// code of its own.
package manual
