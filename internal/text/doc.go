// Package text writes what people and programs read: numbers with units, lists and sentences,
// tables, lines without control characters, and JSON documents.
package text
