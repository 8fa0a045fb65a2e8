// Package requests makes the requests of an attack from templates, curl commands and HAR files.
//
// Parse (request.go) parses the {{…}} in URL, headers and body. The resulting Request fills them in
// for each call. Values come from functions (field.go) and from rows of a CSV or JSON lines file
// (data.go), and are escaped for their position (position.go). Templates with more than values use
// text/template (full.go). A Frame (frame.go) writes HTTP/1.1 directly, at a fraction of the cost
// of encoding each request. check.go and budget.go reject templates that would fail or grow without
// limit.
//
// ReadCurl and ReadHAR read requests of other tools. secrets.go finds values to mask.
package requests
