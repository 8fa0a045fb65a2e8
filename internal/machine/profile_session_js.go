package machine

import "errors"

// A browser has no real clock, and so no profiles.
type ProfileSession struct{}

func StartProfiles(string) (*ProfileSession, error) {
	return nil, errors.New("profile: a browser has none")
}

func (*ProfileSession) End() ([]Profile, error) { return nil, nil }
