// Package recorded shows what poolbench trace found in recorded traffic: as text, as a JSON
// document and as a page.
package recorded
