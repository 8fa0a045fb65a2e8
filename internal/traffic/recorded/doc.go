// Package recorded shows what poolbench trace found in recorded traffic, as text, JSON and a page.
package recorded
