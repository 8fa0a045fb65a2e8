package text

import (
	"fmt"
	"slices"
)

// Complaints is a list of problems.
type Complaints []error

// Add adds a problem.
func (l *Complaints) Add(format string, args ...any) {
	*l = append(*l, fmt.Errorf(format, args...))
}

// If adds a problem if wrong is true.
func (l *Complaints) If(wrong bool, format string, args ...any) {
	if wrong {
		l.Add(format, args...)
	}
}

// Note adds err unless it is nil.
func (l *Complaints) Note(err error) {
	if err != nil {
		*l = append(*l, err)
	}
}

// Once adds err unless it is nil or an equal problem is in the list.
func (l *Complaints) Once(err error) {
	said := func(e error) bool { return e.Error() == err.Error() }
	if err != nil && !slices.ContainsFunc(*l, said) {
		*l = append(*l, err)
	}
}
