package results

const (
	MaxLine    = maxLine
	MostConfig = mostConfig
)
