// Package terminal implements the terminal output of commands: Printer (printer.go), StatusLine,
// exit codes (exit.go), and a context that ends at a signal (interrupt.go).
package terminal
