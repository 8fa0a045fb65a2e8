package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

type Kind struct {
	Name    string // name in strategies that need it
	Product string
	Package string // package of Debian and Ubuntu

	ports int       // number of ports
	end   os.Signal // signal for an orderly end
	find  func(k Kind) (programs []string, err error)
	// nil if the server creates its files
	prepare func(ctx context.Context, s *Server) error
	// commands to start, in this order; the last one is the server
	commands func(s *Server) ([]command, error)
	answers  func(s *Server, c net.Conn) error
	address  func(s *Server) string
}

func Kinds() []Kind { return []Kind{Postgres, Redis, RabbitMQ} }

// Missing names the package to install.
func (k Kind) Missing() error {
	_, err := k.find(k)
	return err
}

type Options struct {
	// Existing files of this package in Dir are reused. "" means a temporary directory, which Close
	// removes.
	Dir      string
	Settings []string
}

// A Server may have ended. It is not safe for concurrent use.
type Server struct {
	kind      Kind
	dir       string
	info      os.FileInfo       // of dir
	temporary *files.ScratchDir // nil if dir is not temporary
	settings  []string
	programs  []string
	ports     []int
	password  string
	logged    int64 // length of the log before the last start
	running   []*process
	restarted bool // whether it was started before
}

// RabbitMQ takes a minute to start if a dozen processes compete for each processor.
const (
	starting = 3 * time.Minute
	ending   = 15 * time.Second
)

// Start returns when the server answers.
func (k Kind) Start(ctx context.Context, o Options) (*Server, error) {
	programs, err := k.find(k)
	if err != nil {
		return nil, err
	}
	for _, text := range o.Settings {
		if !strings.Contains(text, "=") || strings.ContainsAny(text, "\n\x00") {
			return nil, fmt.Errorf("setting %q: want name=value", text)
		}
	}
	s := &Server{kind: k, dir: o.Dir, settings: o.Settings, programs: programs}
	if s.dir == "" {
		if s.temporary, err = files.NewScratch("", k.Name); err != nil {
			return nil, err
		}
		s.dir = s.temporary.Path
	} else if s.dir, err = filepath.Abs(s.dir); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.Start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	for range s.kind.ports {
		port, err := freePort(s.ports)
		if err != nil {
			return err
		}
		s.ports = append(s.ports, port)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var err error
	if s.info, err = os.Stat(s.dir); err != nil {
		return err
	}
	secret := s.path("password")
	password, err := os.ReadFile(secret)
	if err == nil {
		s.password = string(password)
		return nil
	}
	s.password = rand.Text()
	if s.kind.prepare != nil {
		if err := s.kind.prepare(ctx, s); err != nil {
			return err
		}
	}
	// The password is last, because it marks the files as complete.
	return os.WriteFile(secret, []byte(s.password), 0o600)
}

// Start restarts the server after Stop or Kill, with the same port and files.
func (s *Server) Start(ctx context.Context) error {
	if s.running != nil {
		return fmt.Errorf("%s has been started, and neither stopped nor killed", s.kind.Product)
	}
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	err := s.try(ctx)
	// Until all processes of a killed server have ended, a new server finds its files in use and
	// exits.
	for again := 0; err != nil && s.restarted && again < 10 && ctx.Err() == nil; again++ {
		_ = s.Kill()
		_ = pace.Sleep(ctx, 300*time.Millisecond) // or until ctx ends
		err = s.try(ctx)
	}
	if err != nil {
		_ = s.Kill()
		return fmt.Errorf("%s has not started: %w%s", s.kind.Product, err, s.lastWords())
	}
	s.restarted = true
	return nil
}

func (s *Server) try(ctx context.Context) error {
	if log, err := os.Stat(s.Log()); err == nil {
		s.logged = log.Size()
	}
	commands, err := s.kind.commands(s)
	if err != nil {
		return err
	}
	for _, c := range commands {
		p, err := s.launch(c)
		if err != nil {
			return err
		}
		s.running = append(s.running, p)
	}
	last := s.running[len(s.running)-1]
	for {
		err := s.probe(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-last.ended:
			return fmt.Errorf("it has ended (%v)", last.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) probe(ctx context.Context) error {
	var d net.Dialer
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := d.DialContext(ctx, "tcp", s.host())
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	return s.kind.answers(s, c)
}

var errNotReady = errors.New("it is not ready for clients")

func expectReply(c net.Conn, say, want string, other error) error {
	if _, err := io.WriteString(c, say); err != nil {
		return err
	}
	answer := make([]byte, len(want))
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	if string(answer) != want {
		return other
	}
	return nil
}

// The address contains the password.
func (s *Server) Address() string { return s.kind.address(s) }

// A server may continue to write to deleted files.
func (s *Server) Gone() error {
	now, err := os.Stat(s.dir)
	if err == nil && !os.SameFile(now, s.info) {
		err = fmt.Errorf("%s is another now", s.dir)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.kind.Product, err)
	}
	return nil
}

func (s *Server) Log() string { return s.path("log") }

// Stop kills the server after 15 seconds. It keeps the files.
func (s *Server) Stop() error { return s.stop(ending) }

func (s *Server) stop(within time.Duration) error {
	if len(s.running) == 0 {
		return nil
	}
	last := s.running[len(s.running)-1]
	if last.cmd.Process.Signal(s.kind.end) == nil {
		select {
		case <-last.ended:
		case <-time.After(within):
			_ = s.Kill()
			return fmt.Errorf("%s did not end after %v and was killed", s.kind.Product,
				within)
		}
	}
	return s.Kill() // the other processes
}

// Kill keeps the files.
func (s *Server) Kill() error {
	var all error
	for _, p := range s.running {
		all = errors.Join(all, p.kill())
	}
	s.running = nil
	return all
}

// Close removes a temporary directory. Then it kills a server that has not ended after one second.
func (s *Server) Close() error {
	if s.temporary == nil {
		return s.Stop()
	}
	_ = s.stop(time.Second)
	return errors.Join(s.Kill(), s.temporary.Remove())
}

func (s *Server) configuration(between string) (lines string) {
	for _, text := range s.settings {
		lines += strings.Replace(text, "=", between, 1) + "\n"
	}
	return lines
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) host() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.ports[0])) }

func (s *Server) lastWords() string {
	str, err := os.ReadFile(s.Log())
	if err != nil || len(str) <= int(s.logged) {
		return ""
	}
	words := text.OneLine(string(str[max(int(s.logged), len(str)-500):]))
	return ". The end of its log: " + strings.ReplaceAll(words, s.password, "…")
}
