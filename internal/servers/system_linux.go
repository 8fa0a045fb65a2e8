package servers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func prepareSystem(cmd *exec.Cmd, username string) error {
	if err := setGroupAndUser(cmd, username); err != nil {
		return err
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return nil
}

// PostgreSQL has descendants outside the group. killTree first stops the process, so that it starts
// no other process during the search. A missed process may keep files open for a long time.
func killTree(p *os.Process) {
	_ = syscall.Kill(p.Pid, syscall.SIGSTOP)
	for range 100 {
		if state, _ := stat(p.Pid); state != "R" && state != "S" && state != "D" {
			break // stopped or gone
		}
		time.Sleep(time.Millisecond)
	}
	children := make(map[int][]int)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range stats {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if _, parent := stat(child); parent > 0 {
			children[parent] = append(children[parent], child)
		}
	}
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	for left := children[p.Pid]; len(left) > 0; left = left[1:] {
		_ = syscall.Kill(left[0], syscall.SIGKILL)
		left = append(left, children[left[0]]...)
	}
}

func stat(pid int) (state string, parent int) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", 0
	}
	// pid (name) state ppid …; the name may contain spaces
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}
