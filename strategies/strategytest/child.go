package strategytest

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// They are recorded at initialization, because a test may change its directory.
var (
	began        = time.Now()
	directory, _ = os.Getwd() // "" is the current directory
)

type child struct {
	process  *exec.Cmd
	stdin    io.Closer
	orders   io.Writer
	messages chan childOutput // closed after the child's end
}

type childOutput struct {
	message
	end     bool
	printed string
}

// startChild starts a copy of this process that runs only the named test, up to the given call of
// Run.
func startChild(test, call string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	secret := "\x1e" + rand.Text()
	c := &child{process: exec.Command(self, arguments(test)...), messages: make(chan childOutput)}
	c.process.Dir = directory
	c.process.Env = append(os.Environ(), variable+"="+secret+" "+call)
	stdin, err := c.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin, c.orders = stdin, stdin
	// Wait would close a pipe of Cmd before everything is read.
	out, childs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.process.Stdout, c.process.Stderr = childs, childs
	err = c.process.Start()
	_ = childs.Close() // the child has its own copy
	if err != nil {
		_ = out.Close() // nothing was written to it
		return nil, err
	}
	go c.parseOutput(out, secret)
	return c, nil
}

func arguments(test string) []string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	args := []string{"-test.run=" + strings.Join(parts, "/"), "-test.timeout=0",
		fmt.Sprintf("-test.cpu=%d", runtime.GOMAXPROCS(0))}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	return append(args, flag.Args()...)
}

// maxPrinted limits the output of the child kept between two messages, in bytes.
const maxPrinted = 64 << 10

func (c *child) parseOutput(out io.ReadCloser, secret string) {
	defer close(c.messages)
	defer out.Close()
	var printed strings.Builder
	for in := bufio.NewReaderSize(out, maxPrinted); ; {
		line, err := in.ReadSlice('\n')
		text, isMessage := strings.CutPrefix(string(line), secret)
		var m message
		switch {
		case isMessage && json.Unmarshal([]byte(text), &m) == nil:
			c.messages <- childOutput{m, false, strings.TrimSpace(printed.String())}
			printed.Reset()
		case printed.Len()+len(line) <= maxPrinted:
			printed.Write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			c.messages <- childOutput{message{}, true, strings.TrimSpace(printed.String())}
			return
		}
	}
}

func (c *child) awaitReady(limit time.Duration) error {
	select {
	case h := <-c.messages:
		if h.end {
			return fmt.Errorf("a copy of it ended before it came so far (%v)%s", c.wait(),
				shorten(h.printed))
		}
		return nil
	case <-time.After(limit):
		c.kill()
		return fmt.Errorf("a copy of it has not come so far in %v", limit.Round(time.Second))
	}
}

// If the child ends, the error describes how.
func (c *child) testClause(clause string) (said message, printed string, ended error) {
	_, _ = fmt.Fprintln(c.orders, clause)
	h := <-c.messages
	if h.end {
		ended = c.wait()
	}
	return h.message, h.printed, ended
}

func (c *child) wait() error {
	return cmp.Or(c.process.Wait(), errors.New("exit status 0"))
}

func (c *child) end() {
	_ = c.stdin.Close()
	late := time.AfterFunc(10*time.Second, func() { _ = c.process.Process.Kill() })
	defer late.Stop()
	for range c.messages {
	}
	_ = c.wait()
}

func (c *child) kill() {
	_ = c.process.Process.Kill()
	c.end()
}

// shorten returns the start of a crash or race report, or the end of other output.
func shorten(printed string) string {
	lines := strings.Split(printed, "\n")
	i := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			line == "WARNING: DATA RACE"
	})
	if i < 0 {
		i = max(0, len(lines)-maxLines)
	}
	lines = lines[i:]
	if len(lines) > maxLines {
		lines = append(lines[:maxLines:maxLines], "…")
	}
	if printed == "" {
		return ""
	}
	return "\n" + strings.Join(lines, "\n")
}

const maxLines = 20
