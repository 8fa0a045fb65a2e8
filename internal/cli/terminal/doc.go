// Package terminal implements a command's terminal output: Printer (printer.go), StatusLine, exit
// codes (exit.go), and a context that ends at a signal (interrupt.go).
package terminal
