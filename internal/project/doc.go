// Package project tests rules of this module that no compiler checks: which package may import
// which, which may print, and that every exported name has a comment. It has no code of its own.
package project
