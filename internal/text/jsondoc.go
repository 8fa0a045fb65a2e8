package text

import (
	"encoding/json"
	"io"
	"math"
)

func WriteJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// JSONNumber returns nil for NaN and infinities, which JSON cannot represent.
func JSONNumber(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// JSON would write nil as null.
func JSONList[T any](list []T) []T { return append([]T{}, list...) }
