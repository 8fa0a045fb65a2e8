package fleet

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

type Member struct {
	ID      string // identifies the process
	Host    string
	Process int
	Program Program
}

// version is only for display.
func Self(version string) (Member, error) {
	host, err := os.Hostname()
	if err != nil {
		return Member{}, err
	}
	m := Member{ID: rand.Text(), Host: host, Process: os.Getpid(),
		Program: Program{Version: version, Parts: hashOf(parts())}}
	err = m.Program.identify()
	return m, err
}

func (m Member) String() string { return fmt.Sprintf("%s (process %d)", m.Host, m.Process) }

// Equal programs give equal results for a virtual-clock scenario, byte for byte.
type Program struct {
	Version string // for display
	Build   string // hash of the modules, their versions and build settings
	Binary  string // hash of the executable if Build is ambiguous, as in a modified checkout
	Parts   string // hash of the names and parameters of everything registered
}

func (p *Program) identify() error {
	build, ok := debug.ReadBuildInfo()
	committed := false
	if ok {
		p.Build = hashOf(build.String())
		for _, s := range build.Settings {
			committed = committed || s.Key == "vcs.modified" && s.Value == "false"
		}
	}
	if committed {
		return nil
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return err
	}
	p.Binary = hex.EncodeToString(h.Sum(nil))
	return nil
}

func (p Program) key() string { return hashOf(fmt.Sprintf("%q", p))[:16] }

// Differs returns "" if the programs may work together.
func (p Program) Differs(from Program) string {
	switch {
	case p.Version != from.Version:
		return fmt.Sprintf("it is %s and not %s", cmp.Or(p.Version, "of no version"), from.Version)
	case p.Parts != from.Parts:
		return "it has other strategies, workloads, targets or arrival processes"
	case p.Build != from.Build, p.Binary != from.Binary:
		return "it is another build of " + p.Version
	}
	return ""
}

func parts() string {
	var b strings.Builder
	part := func(kind, name string, keys []param.Key) {
		fmt.Fprintf(&b, "%s %s", kind, name)
		for _, k := range keys {
			fmt.Fprintf(&b, " %s=%s", k.Name, k.Default)
		}
		b.WriteByte('\n')
	}
	for _, s := range strategies.All() {
		part("strategy", s.Name, s.Keys)
	}
	for _, s := range workloads.All() {
		part("workload", s.Name, s.Keys)
	}
	for _, s := range targets.All() {
		part("target", s.Name, s.Keys)
	}
	for _, s := range arrivals.All() {
		part("arrival", s.Name, s.Keys)
	}
	return b.String()
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
