package cli

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/lazyregexp"
)

//go:embed newmodule
var newModule embed.FS

var newFiles = map[string]string{
	"main.go": "main.go", "checkout.go": "checkout.go", ".gitignore": "gitignore",
	"mine/mine.go": "mine.go", "mine/mine_test.go": "mine_test.go",
	".github/workflows/test.yml": "ci.yml",
}

const modulePath = "github.com/poolbench/poolbench"

func (a *app) newCommand() *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "new DIR [flags]",
		Short: "write a module for your own strategy and workload",
		Args:  flags.Operands("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if source == "" {
				source = builtFrom()
			}
			if err := writeModule(args[0], source); err != nil {
				return fmt.Errorf("new: %w", err)
			}
			_, err := fmt.Fprintf(a.Stdout, "%s is ready:\n  cd %s\n  go run . run --strategy "+
				"mine:burst=3,worker_pool --workload checkout --rate 200\n",
				args[0], args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "use poolbench from this checkout `DIR` "+
		"(default the checkout from which this program was built)")
	return cmd
}

// builtFrom returns the checkout that the program was built from, or "" if neither the build nor
// the program's path shows it.
func builtFrom() string {
	_, file, _, _ := runtime.Caller(0)
	if dir := checkoutOf(file); dir != "" {
		return dir
	}
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	return checkoutAround(program)
}

// checkoutOf returns "" if -trimpath has removed the source file's directory.
func checkoutOf(file string) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// After make build, the checkout's bin directory contains the program.
func checkoutAround(program string) string {
	dir := filepath.Dir(filepath.Dir(program))
	if _, err := goModIn(dir); err != nil {
		return ""
	}
	return dir
}

func goModIn(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+modulePath+"\n") {
		return "", fmt.Errorf("--source: %s is no checkout of %s", dir, modulePath)
	}
	return string(text), nil
}

var moduleName = lazyregexp.New(`^[a-z][a-z0-9_-]*$`)

// On an error writeModule removes the files it has written.
func writeModule(dir, source string) (err error) {
	name := filepath.Base(filepath.Clean(dir))
	if !moduleName.MatchString(name) {
		return fmt.Errorf("%s: the name of the directory becomes the name of the module: want "+
			"lower-case letters, digits, _ and -", name)
	}
	source, err = filepath.Abs(source)
	if err != nil {
		return err
	}
	theirs, err := goModIn(source)
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	// Paths without a dot in the first element are reserved for the standard library.
	files := map[string]string{"go.mod": goMod("example.com/"+name, theirs, source),
		"go.sum": string(sums)}
	for path, from := range newFiles {
		text, err := newModule.ReadFile("newmodule/" + from + ".tmpl")
		if err != nil {
			return err
		}
		files[path] = strings.ReplaceAll(string(text), "«name»", name)
	}
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(text), 0o666)); err != nil {
			return err
		}
	}
	tidy(dir)
	return nil
}

// tidy removes unneeded requirements, unless that needs a download. The module builds without it.
func tidy(dir string) {
	c := exec.Command("go", "mod", "tidy")
	c.Dir, c.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod")
	_ = c.Run()
}

// The versions are those of the checkout's go.mod, so no version is looked up.
func goMod(name, theirs, source string) string {
	_, requirements, _ := strings.Cut(theirs, "\n")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	return "module " + name + "\n" + strings.TrimRight(requirements, "\n") +
		"\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " +
		quoted(source) + "\n"
}

func quoted(path string) string {
	if strings.ContainsAny(path, " \t\"'`") {
		return fmt.Sprintf("%q", path)
	}
	return path
}
