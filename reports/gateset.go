package reports

// WhyNotGated says why a metric whose direction is known is gated only when it is asked for: it is on the measurement and not on what is
// measured, an extreme of a sample, or follows from the plan of the run of that name. "" when there is no such reason. The unit is tidied.
func WhyNotGated(benchmark, unit string) string {
	if why := setAside(unit); why != "" {
		return why
	}
	if echoesPlan(benchmark, unit) {
		return "echo of the plan of an open-loop run below saturation"
	}
	return ""
}
