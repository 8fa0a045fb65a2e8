package text

import (
	"fmt"
	"slices"
)

// A Complaints is what is wrong, an error each.
type Complaints []error

// Add complains.
func (l *Complaints) Add(format string, args ...any) {
	*l = append(*l, fmt.Errorf(format, args...))
}

// If complains where that is so.
func (l *Complaints) If(wrong bool, format string, args ...any) {
	if wrong {
		l.Add(format, args...)
	}
}

// Note adds what somebody else complains of, unless that is nil.
func (l *Complaints) Note(err error) {
	if err != nil {
		*l = append(*l, err)
	}
}

// Once is Note for what may have been said in the same words.
func (l *Complaints) Once(err error) {
	said := func(e error) bool { return e.Error() == err.Error() }
	if err != nil && !slices.ContainsFunc(*l, said) {
		*l = append(*l, err)
	}
}
