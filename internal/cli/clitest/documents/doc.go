// Package documents tests what the command says of itself: help, lists, pages of docs, golden
// files.
package documents
