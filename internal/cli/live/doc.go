// Package live shows a run while it goes on. A Course samples the counts of a run each second
// (course.go). A Server shows the Course as a page, as server-sent events and as metrics for
// Prometheus (server.go, metrics.go); the page's script is live.ts, bundled by make generate. A
// Stream writes a line of JSON each second (stream.go). An Exporter sends metrics to an
// OpenTelemetry collector over OTLP (telemetry.go), as OTEL_EXPORTER_OTLP_ENDPOINT and the other
// standard variables say.
//
// These quantiles are of the last two seconds and within 3 % of the exact ones. Results are
// computed from the records of a run instead.
package live
