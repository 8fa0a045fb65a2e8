package stores

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

func openTerminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var locked, number int32
	for request, to := range map[uintptr]*int32{syscall.TIOCSPTLCK: &locked,
		syscall.TIOCGPTN: &number} {
		if _, _, wrong := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request,
			uintptr(unsafe.Pointer(to))); wrong != 0 {
			t.Fatal(wrong)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, program
}

func TestCrashOnATerminal(t *testing.T) {
	screen, program := openTerminal(t)
	defer screen.Close()
	var stdout, drawn bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&drawn, screen) // fails when the other end is closed
	}()
	code := cli.RunOn(t.Context(), execute.NewHost(terminal.New(&stdout, program)),
		[]string{"crash", "serial", "--tasks", "50", "--kills", "1", "--limit", "1"},
		strings.NewReader(""))
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
	<-read
	if code != clitest.Fine {
		t.Fatalf("exit code %d\n%s", code, drawn.String())
	}
	shares := regexp.MustCompile(`^(\r\x1b\[K +\d+ %)+\r\x1b\[K$`)
	if text := drawn.String(); !shares.MatchString(text) {
		t.Errorf("%q", text)
	}
}
