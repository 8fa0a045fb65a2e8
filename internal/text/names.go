package text

import "strings"

// IsLowerSnake reports whether s begins with a letter and consists of words of small letters and
// digits, joined by single underscores.
func IsLowerSnake(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for word := range strings.SplitSeq(s, "_") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}
