// Package text formats output for people and programs: numbers with units (quantity.go), lists and
// sentences (prose.go), columns and tables for a terminal (cells.go, fold.go), Markdown tables
// (markdown.go), and JSON documents (head.go, jsondoc.go).
//
// A PlainWriter escapes control characters in foreign text (plain.go), and urls.go removes
// passwords and tokens from it. Complaints collect errors (complaints.go). Better returns the
// direction of a unit (direction.go).
package text
