//go:build !race

package peers_test

const raceDetector = false
