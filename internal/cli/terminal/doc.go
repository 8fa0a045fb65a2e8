// Package terminal has what a command needs to talk to its terminal: a Printer for text, tables and
// complaints (printer.go), a StatusLine, the exit codes (exit.go), and a context that ends at a
// signal (interrupt.go).
package terminal
