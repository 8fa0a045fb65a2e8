package servers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func prepareSystem(cmd *exec.Cmd, username string) error {
	if err := ownGroup(cmd, username); err != nil {
		return err
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return nil
}

// killTree kills the process's group, and its descendants that have left the group: PostgreSQL's
// do. Those that are started while it looks are missed: they end when they see that it has.
func killTree(p *os.Process) {
	children := make(map[int][]int)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid …, and the name may have spaces
		_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		children[parent] = append(children[parent], child)
	}
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	for left := children[p.Pid]; len(left) > 0; left = left[1:] {
		_ = syscall.Kill(left[0], syscall.SIGKILL)
		left = append(left, children[left[0]]...)
	}
}
