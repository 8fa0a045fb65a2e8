// Package comparisons tests compare, gate and trend.
package comparisons
