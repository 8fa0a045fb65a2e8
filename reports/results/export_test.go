package results

const (
	MaxLine   = maxLine
	MaxConfig = maxConfig
)
