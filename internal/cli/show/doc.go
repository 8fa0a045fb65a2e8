// Package show prints the results of runs, searches and attacks: Show for runs (show.go, table.go),
// RunLoads for HTTP loads (load.go, loadtable.go), ShowSearch for capacity (search_table.go),
// ShowWhy for the causes of slow tasks (why.go). Document and SearchDocument contain the same
// results for JSON (document.go, search_document.go).
package show
