// Package builtin has the strategies of poolbench, a file each, named for it. Importing the package
// registers them; package bench does.
//
// # Size
//
// A strategy is a file, and nothing else is here.
package builtin
