// Package live shows a run in progress. A Course samples the counts of a run each second. A Server
// shows the Course as a page, as server-sent events and as metrics for Prometheus. A Stream writes
// a line of JSON each second. An Exporter sends metrics over OTLP. The page's script is live.ts,
// bundled by make generate.
//
// Quantiles are accurate to 3 %. Results are computed from the records of a run instead.
package live
