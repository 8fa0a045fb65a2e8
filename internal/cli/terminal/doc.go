// Package terminal implements the terminal output of commands: Printer, StatusLine, exit codes, and
// a context that ends at a signal.
package terminal
