//go:build !race

package workloads_test

const raceDetector = false
