package text

import (
	"fmt"
	"slices"
)

type Complaints []error

func (l *Complaints) Add(format string, args ...any) {
	*l = append(*l, fmt.Errorf(format, args...))
}

func (l *Complaints) If(wrong bool, format string, args ...any) {
	if wrong {
		l.Add(format, args...)
	}
}

func (l *Complaints) Note(err error) {
	if err != nil {
		*l = append(*l, err)
	}
}

func (l *Complaints) AddOnce(err error) {
	said := func(e error) bool { return e.Error() == err.Error() }
	if err != nil && !slices.ContainsFunc(*l, said) {
		*l = append(*l, err)
	}
}
