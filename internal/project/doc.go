// Package project tests rules of this module that no compiler checks, such as which package may
// import which. It has no code of its own.
package project
