//go:build !js

package machine

import (
	"bytes"
	"runtime/pprof"
)

func goroutines() string {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a bytes.Buffer has no errors
	return profile.String()
}
