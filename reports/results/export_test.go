package results

// For tests.
const (
	MaxLine    = maxLine
	MostConfig = mostConfig
)
