// Package likeness says which built-in arrival process resembles recorded traffic, and how badly.
package likeness
