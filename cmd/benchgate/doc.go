// Command benchgate has the commands gate, compare and trend of poolbench. It builds in seconds. It
// is for libraries whose CI gates their own benchmarks (see docs/gate-your-ci.md):
//
//	go install github.com/poolbench/poolbench/cmd/benchgate@latest
//	benchgate gate --base main
package main
