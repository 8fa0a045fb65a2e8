//go:build unix

package servers

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// The process has its own group, so Ctrl-C in a terminal does not reach it.
func setGroupAndUser(cmd *exec.Cmd, username string) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	id, err := identity(username)
	cmd.SysProcAttr.Credential = id
	return err
}

// identity returns nil if this process is not root.
func identity(username string) (*syscall.Credential, error) {
	if username == "" || os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup(username)
	if err != nil {
		return nil, fmt.Errorf("it refuses to run as root, and there is no user %s", username)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func giveTo(username, path string) error {
	id, err := identity(username)
	if id == nil || err != nil {
		return err
	}
	return os.Chown(path, int(id.Uid), int(id.Gid))
}
