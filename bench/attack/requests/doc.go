// Package requests makes the requests of an attack: from templates, from curl commands and from HAR
// files.
//
// Parse (request.go) reads the {{…}} in URL, headers and body of a request, which a Request then
// fills in for each call. Values come from functions (field.go) and from rows of a CSV or JSON
// lines file (data.go), and are escaped for their position (position.go). A template that needs
// more than values is one of text/template (full.go). A Frame (frame.go) writes HTTP/1.1 directly,
// which costs a fraction of encoding the request anew. check.go and budget.go reject templates that
// would fail or grow without bound.
//
// ReadCurl and ReadHAR read requests of other tools. secrets.go finds the values of a request that
// must not be shown.
package requests
