// Package reports reads benchmark results, compares them and judges them.
package reports
