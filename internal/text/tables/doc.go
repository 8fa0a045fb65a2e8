// Package tables lays tables and paragraphs out: in columns of a fixed-width font, folded where a
// terminal is too narrow for them, and tables in Markdown.
package tables
