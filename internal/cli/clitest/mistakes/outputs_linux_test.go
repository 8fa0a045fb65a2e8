package mistakes

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/flags"
)

type outputCase struct {
	args  []string
	holds string // expected text in the file
	codes []int
	not   []string // kinds of spots to skip
}

func outputCases(t *testing.T) map[string]outputCase {
	t.Helper()
	dir := t.TempDir()
	clitest.Succeed(t, clitest.Quick("--out", dir+"/run")...)
	clitest.Succeed(t, clitest.Quick("--out", dir+"/more")...)
	clitest.Write(t, dir+"/old.txt", strings.Repeat("BenchmarkA 1 5 ns/op\n", 10))
	url, _ := clitest.Shop(t, 429)
	run, old := dir+"/run", dir+"/old.txt"
	attack := []string{"attack", url, "--rate", "500", "--n", "9", "--quiet", "--out",
		dir + "/attack", "--force"}
	const page = "<!doctype html>"
	most := []string{"null", "dangling", "socket", "stdout", "tmpfs"} // spots for most cases

	undone := []int{clitest.Fine, clitest.Undecided} // too few tasks, or a busy machine
	return map[string]outputCase{
		"report --html":  {args: []string{"report", run}, holds: page},
		"compare --html": {args: []string{"compare", old, old}, holds: page},
		"trend --html": {args: []string{"trend", old, run + "/results.txt"}, holds: page,
			codes: undone},
		"gate --junit": {args: []string{"gate", old, old}, holds: "<?xml", codes: undone},
		"advise --html": {args: []string{"advise", "--workload", "constant:mean=10ms", "--rate",
			"50", "--objective", "p99-response<200ms", "--budget", "1s", "--strategy",
			"worker_pool"},
			holds: page},
		"crash --html": {args: []string{"crash", "sqlite_queue", "--tasks", "100", "--kills", "1"},
			holds: page, not: most},
		// A calibration would take ten seconds, so only early errors are tested.
		"calibrate --html": {args: []string{"calibrate", "--quiet", "--out", dir + "/calibration",
			"--force"}, holds: page, not: append(most, "full", "link", "pipe")},
		// This output is written incrementally, so it does not replace an existing file.
		"attack --vegeta": {args: attack, codes: undone, not: []string{"link", "tmpfs"}},
		"attack --dead-letters": {args: append(slices.Clone(attack), "--strategy",
			"retry_in_place:attempts=1"), holds: `{"time":`, codes: undone,
			not: []string{"link", "tmpfs"}},
		"attack --junit": {args: attack, holds: "<?xml", codes: undone},
		"attack --progress-json": {args: attack, holds: `{"e`, codes: undone, // elapsed or end
			not: []string{"link", "tmpfs"}},
	}
}

// alike maps a flag to the tested flag with the same implementation.
var alike = map[string]string{
	"run --junit": "attack --junit", "study --junit": "attack --junit",
	"capacity --junit": "attack --junit", "capacityof --junit": "attack --junit",
	"gateway --junit": "attack --junit", "run --progress-json": "attack --progress-json",
	"study --progress-json": "attack --progress-json", "capacity --progress-json": "attack --progress-json",
	"capacityof --progress-json": "attack --progress-json", "gateway --progress-json": "attack --progress-json",
}

var inputs = []string{"run --file", "run --dsn", "capacity --file", "attack --file",
	"attack --body", "attack --targets", "capacityof --file", "capacityof --body",
	"capacityof --targets", "attack --session", "capacityof --session", "attack --curl",
	"attack --data", "capacityof --curl", "capacityof --data", "attack --proto", "capacityof --proto", "attack --unix-socket",
	"capacityof --unix-socket", "attack --ca", "attack --cert", "attack --key", "capacityof --ca",
	"capacityof --cert", "capacityof --key", "gate --dir", "new --source"}

func namesFile(f *pflag.Flag) bool {
	name, usage := pflag.UnquoteUsage(f)
	return f.Value.Type() == flags.OutputKind || name == "FILE" || name == "DIR" ||
		name == "PATH" ||
		strings.Contains(strings.ToLower(usage), "file") && f.Value.Type() == "string"
}

func eachFlag(f func(name string, cmd *cobra.Command, flag *pflag.Flag)) {
	for _, c := range clitest.Root().Commands() {
		c.Flags().VisitAll(func(flag *pflag.Flag) { f(c.Name()+" --"+flag.Name, c, flag) })
	}
}

func TestOutputFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	outputs := outputCases(t)
	var known []string
	eachFlag(func(name string, _ *cobra.Command, flag *pflag.Flag) {
		if !namesFile(flag) {
			return
		}
		known = append(known, name)
		of, same := alike[name]
		if !same {
			of = name
		}
		_, tested := outputs[of]
		if flag.Name == flags.OutFlag {
			tested = true // by TestOutDirs
		}
		if read := slices.Contains(inputs, name); tested == read {
			t.Errorf("%s names a file: it belongs to the inputs, or else to the outputs", name)
		}
	})
	for name := range outputs {
		if !slices.Contains(known, name) {
			t.Errorf("there is no %s", name)
		}
	}
}

type spot struct {
	path string
	// the only error line after flag and path; "" without an error
	says string
	// returns the written text; fails the test if a file other than a regular one was replaced
	got func() string
}

var spots = map[string]func(t *testing.T, dir string) spot{
	"null": func(t *testing.T, dir string) spot {
		path := dir + "/null"
		makeNode(t, path, syscall.S_IFCHR, 1<<8|3)
		return spot{path: path, got: still(t, path, fs.ModeDevice|fs.ModeCharDevice)}
	},
	"full": func(t *testing.T, dir string) spot {
		path := dir + "/full"
		makeNode(t, path, syscall.S_IFCHR, 1<<8|7)
		return spot{path, "no space left on device",
			still(t, path, fs.ModeDevice|fs.ModeCharDevice)}
	},
	"pipe": func(t *testing.T, dir string) spot {
		path := dir + "/pipe"
		makeNode(t, path, syscall.S_IFIFO, 0)
		got := make(chan string, 1)
		go func() {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			got <- string(data)
		}()
		return spot{path: path, got: func() string {
			still(t, path, fs.ModeNamedPipe)()
			return <-got
		}}
	},
	"socket": func(t *testing.T, dir string) spot {
		path := dir + "/socket"
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		got := make(chan string, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			data, err := io.ReadAll(conn)
			if err != nil {
				t.Error(err)
			}
			got <- string(data)
		}()
		return spot{path: path, got: func() string {
			still(t, path, fs.ModeSocket)()
			return <-got
		}}
	},
	"link": func(t *testing.T, dir string) spot {
		path, target := dir+"/link", dir+"/there/target"
		if err := os.Mkdir(dir+"/there", 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, target, "old")
		link(t, "there/target", path)
		if err := os.Chmod(target, 0o640); err != nil {
			t.Fatal(err)
		}
		return spot{path: path, got: func() string {
			still(t, path, fs.ModeSymlink)()
			if info, err := os.Lstat(target); err != nil || info.Mode() != 0o640 {
				t.Errorf("the file's mode is now %v, %v", info.Mode(), err)
			}
			return clitest.Read(t, target)
		}}
	},
	"dangling": func(t *testing.T, dir string) spot {
		path := dir + "/dangling"
		link(t, "new", path)
		return spot{path: path, got: func() string {
			still(t, path, fs.ModeSymlink)()
			return clitest.Read(t, dir+"/new")
		}}
	},
	"tmpfs": func(t *testing.T, dir string) spot {
		at := dir + "/small"
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "size=8k"); err != nil {
			t.Skip("may not mount a small file system:", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(at, 0); err != nil {
				t.Error(err)
			}
		})
		clitest.Write(t, at+"/out", "old")
		if err := os.WriteFile(at+"/more", make([]byte, 1<<14), 0o666); err == nil {
			t.Fatal("the file system has space left")
		}
		return spot{at + "/out", "no space left on device", func() string {
			left, err := os.ReadDir(at)
			if old := clitest.Read(t, at+"/out"); old != "old" || len(left) != 2 || err != nil {
				t.Errorf("%q is there, and beside it %v, %v", old, left, err)
			}
			return ""
		}}
	},
	"directory": func(t *testing.T, dir string) spot {
		return spot{dir, "is a directory", still(t, dir, fs.ModeDir)}
	},
	"link to a directory": func(t *testing.T, dir string) spot {
		link(t, ".", dir+"/link")
		return spot{dir + "/link", "is a directory", still(t, dir+"/link", fs.ModeSymlink)}
	},
	"nowhere": func(_ *testing.T, dir string) spot {
		return spot{dir + "/no/where", "there is no directory " + dir + "/no", nil}
	},
	"below a file": func(t *testing.T, dir string) spot {
		clitest.Write(t, dir+"/file", "old")
		return spot{dir + "/file/x", "not a directory", still(t, dir+"/file", 0)}
	},
	"read-only": func(t *testing.T, dir string) spot {
		if os.Geteuid() == 0 { // root ignores permissions
			return spot{"/proc/poolbench", "no such file or directory", nil}
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		return spot{dir + "/x", "permission denied", nil}
	},
	"circle": func(t *testing.T, dir string) spot {
		link(t, "circle", dir+"/circle")
		return spot{dir + "/circle", "too many levels of symbolic links",
			still(t, dir+"/circle", fs.ModeSymlink)}
	},
	"closed descriptor": func(*testing.T, string) spot {
		return spot{"/dev/fd/999", "bad file descriptor", nil}
	},
}

// makeNode creates a special file, so the test never writes to a real device.
func makeNode(t *testing.T, path string, kind uint32, device int) {
	t.Helper()
	if err := syscall.Mknod(path, kind|0o666, device); err != nil {
		t.Skip("may not make a device or pipe:", err)
	}
	if kind == syscall.S_IFCHR {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Skip("may not open a device of its own:", err)
		}
		_ = f.Close()
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func still(t *testing.T, path string, kind fs.FileMode) func() string {
	return func() string {
		t.Helper()
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != kind {
			t.Errorf("%s is replaced: %v, %v", path, info, err)
		}
		return ""
	}
}

// A special file or a link must not be replaced by a regular file. A failure must be one line with
// flag and path. No temporary file may remain.
func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	works := []string{"null", "socket", "link", "dangling", "tmpfs"} // full and pipe work too
	// The commands share the code. In short mode each command tests an eighth of the spots.
	const turns = 8
	thorough, stdouts := !testing.Short(), 1
	if thorough {
		stdouts = 3
	}
	cases := outputCases(t)
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		command, flag, _ := strings.Cut(name, " ")
		long := command == "advise" || command == "crash"
		for j, kind := range slices.Sorted(maps.Keys(spots)) {
			slow := long && slices.Contains(works, kind) || // a crash takes five seconds
				command == "crash" && slices.Contains([]string{"full", "pipe"}, kind)
			short := (i+j)%turns == 0 && !slow
			if slices.Contains(c.not, kind) || !thorough && !short {
				continue
			}
			t.Run(command+flag+"/"+kind, func(t *testing.T) {
				c.try(t, flag, spots[kind](t, t.TempDir()))
			})
		}
		if !slices.Contains(c.not, "stdout") && (thorough || i%turns == 0 && !long) {
			t.Run(command+flag+"/stdout", func(t *testing.T) {
				c.tryStdout(t, flag, stdouts)
			})
		}
	}
}

func (c outputCase) try(t *testing.T, flag string, p spot) {
	o := clitest.Command(t, append(slices.Clone(c.args), flag, p.path)...)
	o.Stderr = clitest.WithoutDoubts(o.Stderr)
	if p.says != "" {
		named := fmt.Sprintf("%s: %s: %s\n", flag, p.path, p.says)
		// each error of dead letters names its request
		said := strings.HasSuffix(o.Stderr, named) || flag == "--dead-letters" &&
			strings.Contains(o.Stderr, "dead letters: ") && strings.Contains(o.Stderr, p.says)
		if !said || o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
		}
	} else if o.Code != clitest.Fine && !slices.Contains(c.codes, o.Code) {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
	if p.got == nil {
		return
	}
	if got := p.got(); got != "" && !strings.HasPrefix(got, c.holds) {
		t.Errorf("%.100q has arrived", got)
	}
	left, err := filepath.Glob(filepath.Dir(p.path) + "/.poolbench-*")
	if err != nil || left != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// tryStdout passes names of standard output. The command must append, and must not overwrite the
// file of a shell's >>.
func (c outputCase) tryStdout(t *testing.T, flag string, names int) {
	dir := t.TempDir()
	link(t, "/dev/stdout", dir+"/link")
	for _, path := range []string{dir + "/link", "/dev/stdout", "/dev/fd/1"}[:names] {
		out, err := os.Create(dir + "/out")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.WriteString("before\n"); err != nil {
			t.Fatal(err)
		}
		cmd := clitest.Process(t, nil, append(slices.Clone(c.args), flag, path)...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = out, &stderr
		err = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != clitest.Fine && !slices.Contains(c.codes,
			code) {
			t.Errorf("%s: %v\n%s", path, err, &stderr)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		got, after, _ := strings.Cut(clitest.Read(t, dir+"/out"), "\n")
		if got != "before" || !strings.Contains(after, c.holds) || len(after) < 100 {
			t.Errorf("%s: %q and %d bytes with %.100q", path, got, len(after), after)
		}
	}
}

// Slow commands are tested only for early errors.
func outDirs(t *testing.T) map[string]outputCase {
	t.Helper()
	dir := t.TempDir()
	clitest.Succeed(t, clitest.Quick("--out", dir+"/run")...)
	for _, part := range []string{"part", "other"} { // parts of a load, in real time
		clitest.Command(t, clitest.Quick("--clock", "real", "--out", dir+"/"+part)...)
	}
	clitest.Write(t, dir+"/old.txt", strings.Repeat("BenchmarkA 1 5 ns/op\n", 10))
	clitest.Write(t, dir+"/new.txt", strings.Repeat("BenchmarkA 1 5 ns/op\n", 9))
	url, _ := clitest.Shop(t, 200)
	busy := []int{clitest.Fine, clitest.Undecided}
	long := []string{"link", "dangling"}
	return map[string]outputCase{
		"run":   {args: clitest.Quick()},
		"study": {args: []string{"study", "throttle", "--quick", "--quiet"}, not: long},
		"capacity": {args: []string{"capacity", "--quiet", "--clock", "virtual", "--strategy",
			"semaphore", "--n", "500", "--resolution", "10%", "--objective",
			"p99-response<100ms"}},
		"capacityof": {args: []string{"capacity", url, "--objective", "p99-response<1h"},
			not: long},
		"attack": {args: []string{"attack", url, "--rate", "500", "--n", "9", "--quiet"},
			codes: busy},
		"gateway": {args: []string{"gateway", "--rate", "500", "--n", "9", "--quiet"},
			codes: busy},
		"merge":     {args: []string{"merge", dir + "/part", dir + "/other"}, codes: busy},
		"calibrate": {args: []string{"calibrate", "--quiet"}, not: long},
		"gate":      {args: []string{"gate", "--base", "HEAD"}, not: long},
		"trend":     {args: []string{"trend", dir + "/old.txt", dir + "/new.txt"}, codes: busy},
	}
}

// The command must fail before any work. A link must be followed. An existing file must stay.
func TestOutDirs(t *testing.T) {
	t.Chdir(t.TempDir())
	cases := outDirs(t)
	var having []string
	eachFlag(func(name string, cmd *cobra.Command, f *pflag.Flag) {
		if f.Name == flags.OutFlag {
			having = append(having, cmd.Name())
		}
	})
	for name := range cases {
		if !slices.Contains(having, name) {
			t.Errorf("%s has no --%s", name, flags.OutFlag)
		}
	}
	for i, name := range having {
		c, tried := cases[name]
		if !tried {
			t.Errorf("%s --%s is not tried", name, flags.OutFlag)
			continue
		}
		for j, kind := range []string{"null", "full", "link to a file", "below a file", "read-only",
			"circle", "closed descriptor", "link", "dangling"} {
			if slices.Contains(c.not, kind) {
				continue
			}
			if testing.Short() && name != "run" && ((i+j)%3 != 0 || kind == "link" ||
				kind == "dangling") {
				continue // the commands share the code, and some measure
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				dir := t.TempDir()
				if kind == "link" || kind == "dangling" {
					link(t, "there", dir+"/link")
					if kind == "link" {
						if err := os.Mkdir(dir+"/there", 0o777); err != nil {
							t.Fatal(err)
						}
					}
					c.try(t, "--"+flags.OutFlag,
						spot{dir + "/link", "", still(t, dir+"/link", fs.ModeSymlink)})
					if files, err := os.ReadDir(dir + "/there"); err != nil || len(files) < 2 {
						t.Errorf("there is %v, %v", files, err)
					}
					return
				}
				var p spot
				if kind == "link to a file" {
					p = spots["link"](t, dir)
				} else {
					p = spots[kind](t, dir)
				}
				switch kind {
				case "read-only":
					p.path += "/x"
				case "circle", "below a file":
				default:
					p.says = "not a directory"
				}
				c.try(t, "--"+flags.OutFlag, p)
			})
		}
	}
}
