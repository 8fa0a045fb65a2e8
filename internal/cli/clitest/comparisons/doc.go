// Package comparisons tests what compares results: compare, gate, trend.
package comparisons
