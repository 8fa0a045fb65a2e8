// Package recorded formats poolbench trace's description of recorded traffic, as text, JSON and a
// page.
package recorded
