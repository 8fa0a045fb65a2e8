package text

import (
	"encoding/json"
	"io"
	"math"
)

// WriteJSON writes one document.
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

// JSONList returns an empty list instead of nil, which JSON would write as null.
func JSONList[T any](list []T) []T { return append([]T{}, list...) }
