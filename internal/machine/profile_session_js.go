package machine

import "errors"

// A ProfileSession does not exist in a browser: only the real clock has profiles.
type ProfileSession struct{}

// StartProfiles returns an error.
func StartProfiles(string) (*ProfileSession, error) {
	return nil, errors.New("profile: a browser has none")
}

// End returns no profiles.
func (*ProfileSession) End() ([]Profile, error) { return nil, nil }
