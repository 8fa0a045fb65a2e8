//go:build race

package pace

const raceDetector = true
