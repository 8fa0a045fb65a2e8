// Package builtin has the strategies of poolbench, a file each, named for it. Importing the package
// registers them; package bench does.
package builtin
