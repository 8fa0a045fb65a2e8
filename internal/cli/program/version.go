package program

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type Version struct {
	// (devel) for a build from a checkout without a tag
	Release string `json:"release"`
	Commit  string `json:"commit,omitempty"` // absent if the build information does not have it
	Changed bool   `json:"changed"`          // whether the checkout differed from the commit
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (v Version) String() string { return v.Text("poolbench") }

func (v Version) Text(program string) string {
	commit := ""
	if v.Commit != "" {
		commit = ", commit " + v.Commit
	}
	if v.Changed {
		commit += " with changes"
	}
	return fmt.Sprintf("%s %s%s, %s, %s/%s", program, v.Release, commit, v.Go, v.OS, v.Arch)
}

const module = "github.com/poolbench/poolbench"

// Invocation is the start of a command line: "poolbench", or "go run ." for a program of a user's own
// module, which has strategies that poolbench does not know.
func Invocation() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "poolbench"
	}
	return invocation(build.Main.Path, build.Path)
}

func invocation(main, path string) string {
	if main == module || main == "" {
		return "poolbench"
	}
	if dir, below := strings.CutPrefix(path, main+"/"); below {
		return "go run ./" + dir
	}
	return "go run ."
}

func ReadVersion() Version {
	v := Version{Release: "(unknown)", Go: runtime.Version(), OS: runtime.GOOS,
		Arch: runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, m := range append(build.Deps, &build.Main) { // as a dependency of a user's own program
		if m.Path == module && m.Version != "" {
			v.Release = m.Version
		}
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Changed = s.Value == "true"
		}
	}
	return v
}
