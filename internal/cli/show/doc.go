// Package show prints what runs, searches and attacks found: Show for runs (show.go, table.go),
// RunLoads for HTTP loads (load.go, loadtable.go), ShowSearch for capacity (search_table.go),
// ShowWhy for the causes of slow tasks (why.go). Document and SearchDocument are the same as JSON
// (document.go, search_document.go).
package show
