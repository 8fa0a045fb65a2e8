//go:build race

package main

// Under the race detector a simulated task costs ten times as much.
const raceDetector = true
