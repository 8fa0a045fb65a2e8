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

// JSONNumber is nil for what JSON cannot say.
func JSONNumber(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// JSONList is an empty list where there is none, and not null.
func JSONList[T any](list []T) []T { return append([]T{}, list...) }
