// Package evidence contains the common parts of studies: the runs by scenario (Measured), means and
// ratios with their 95 % intervals (Interval), the rule that tests a claim case by case (Ruling),
// and figures (Figure).
package evidence
