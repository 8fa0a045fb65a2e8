// Package text formats output for people and programs: numbers with units (quantity.go), sentences
// (prose.go), columns and tables for a terminal (columns.go, fold.go), Markdown and JSON. A
// PlainWriter escapes control characters in foreign text. DiscreetURL removes passwords and tokens
// from a URL.
package text
