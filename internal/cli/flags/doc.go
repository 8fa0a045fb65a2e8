// Package flags defines the flags and arguments that commands have in common: their types, checks,
// completion and errors.
package flags
