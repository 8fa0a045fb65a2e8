// Package show prints the results of runs (Show), HTTP loads (RunLoads) and searches (ShowSearch),
// and the causes of slow tasks (ShowWhy). Document and SearchDocument contain the same results for
// JSON.
package show
