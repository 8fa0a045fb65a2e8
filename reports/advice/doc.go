// Package advice shows what poolbench advise found: on a screen of 25 lines, as a page, and as a
// JSON document whose schema is schema.json.
package advice
