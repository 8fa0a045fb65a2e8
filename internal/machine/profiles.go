package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

type ProfileKind string

const (
	CPU   ProfileKind = "cpu"
	Wait  ProfileKind = "goroutine"
	Mutex ProfileKind = "mutex"
	Block ProfileKind = "block"
	Heap  ProfileKind = "heap"
)

var ProfileKinds = []ProfileKind{CPU, Wait, Mutex, Block, Heap}

const separator = "+"

// The kinds are separated by commas or +.
func ParseProfiles(text string) (string, error) {
	given := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '+' })
	if len(given) == 0 {
		return "", errors.New("want one or more of " + kindNames())
	}
	for _, g := range given {
		if !slices.Contains(ProfileKinds, ProfileKind(g)) {
			return "", fmt.Errorf("unknown profile %q (known: %s)", g, kindNames())
		}
	}
	var set []string
	for _, k := range ProfileKinds {
		if slices.Contains(given, string(k)) {
			set = append(set, string(k))
		}
	}
	return strings.Join(set, separator), nil
}

func CheckProfiles(set string) error {
	if set == "" {
		return nil
	}
	switch parsed, err := ParseProfiles(set); {
	case err != nil:
		return fmt.Errorf("profile: %w", err)
	case parsed != set:
		return fmt.Errorf("profile %q: it is spelt %s", set, parsed)
	}
	return nil
}

func kindNames() string {
	return strings.Join(text.Texts(ProfileKinds, func(k ProfileKind) string { return string(k) }), ", ")
}

type Profile struct {
	Kind ProfileKind
	Data []byte
}
