// Command benchgate has the commands gate, compare and trend of poolbench, with the same flags,
// output and exit codes. It is small and builds in seconds. It is for libraries whose CI gates
// their own benchmarks:
//
//	go install github.com/poolbench/poolbench/cmd/benchgate@latest
//	benchgate gate --base main
//
// docs/gate-your-ci.md describes the jobs for GitHub, GitLab, Jenkins and make.
package main
