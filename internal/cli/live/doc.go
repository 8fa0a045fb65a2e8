// Package live shows a run while it goes on: a Course makes a frame of its meter each second
// (course.go), and a Server has them as a page, as server-sent events and as text for Prometheus
// (server.go, metrics.go). The page is live.ts and what it imports, bundled by make generate.
//
// What is shown here is for looking on: quantiles are of the last two seconds and within 3 % of the
// exact ones. Results are computed from the records of a run, and from nothing of this.
//
// # Telemetry
//
// Sends what runs do while they go on to a collector of OpenTelemetry, over OTLP
// with protobuf in HTTP. The environment says where to, by the variables that OpenTelemetry
// specifies: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and others.
package live
