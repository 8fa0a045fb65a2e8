// Package terminal writes to the terminal: paragraphs, tables and the line of status. It has the
// codes with which the command ends, and the signals that end it early.
package terminal
