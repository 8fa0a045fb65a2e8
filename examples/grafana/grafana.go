// Package grafana contains dashboards for Grafana.
package grafana

import _ "embed"

// Live is the dashboard of the metrics that --live serves.
//
//go:embed live.json
var Live []byte
