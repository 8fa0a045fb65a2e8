// Package builtin has the strategies of poolbench, each in a file of its name. Importing the
// package registers them; package bench does.
package builtin
