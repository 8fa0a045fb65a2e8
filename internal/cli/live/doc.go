// Package live shows a run in progress. A Course samples the counts of a run each second
// (course.go). A Server shows the Course as a page, as server-sent events and as metrics for
// Prometheus (server.go, metrics.go). The page's script is live.ts, bundled by make generate. A
// Stream writes a line of JSON each second (stream.go). An Exporter sends metrics over OTLP to an
// OpenTelemetry collector (telemetry.go), which OTEL_EXPORTER_OTLP_ENDPOINT and the other standard
// variables specify.
//
// The quantiles in this package are those of the last two seconds, accurate to 3 %. Results are
// computed from the records of a run instead.
package live
