// Package jsondoc writes the JSON documents that commands print, all in one look.
package jsondoc

import (
	"encoding/json"
	"io"
	"math"
)

// Write writes one document.
func Write(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// Finite is nil for what JSON cannot say.
func Finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// List is an empty list where there is none, and not null.
func List[T any](list []T) []T { return append([]T{}, list...) }
