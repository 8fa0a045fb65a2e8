// Package builtin contains the strategies of poolbench, each in a file of its name. Importing it
// registers them. Package bench does so.
package builtin
