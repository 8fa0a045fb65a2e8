// Package flags defines types, checks, completion and errors for flags and arguments of all
// commands.
package flags
