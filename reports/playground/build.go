// Package playground builds the playground, a static page that runs strategies in the reader's
// browser. Its program is internal/playground/wasm, compressed by gzip.
package playground

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

const module = "github.com/poolbench/poolbench"

// Build writes the files of the page into the directory.
func Build(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := goCommand(nil, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	sources := filepath.Join(root, "reports", "playground")
	files := map[string][]byte{}
	for _, name := range []string{"main", "worker"} {
		if files[name+".js"], err = bundle(filepath.Join(sources, name+".ts")); err != nil {
			return err
		}
	}
	if files["index.html"], err = os.ReadFile(filepath.Join(sources, "index.html")); err != nil {
		return err
	}
	css, err := os.ReadFile(filepath.Join(sources, "page.css"))
	if err != nil {
		return err
	}
	files["page.css"] = append([]byte(shell.Style()+charts.Style()), css...)
	goRoot, err := goCommand(nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	if files["wasm_exec.js"], err = os.ReadFile(
		filepath.Join(goRoot, "lib", "wasm", "wasm_exec.js")); err != nil {
		return err
	}
	if files["poolbench.wasm.bin"], err = program(); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func bundle(source string) ([]byte, error) {
	r := api.Build(api.BuildOptions{EntryPoints: []string{source}, Bundle: true,
		Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone})
	var failures []error
	for _, m := range r.Errors {
		failures = append(failures, fmt.Errorf("%+v: %s", m.Location, m.Text))
	}
	if len(failures) > 0 {
		return nil, errors.Join(failures...)
	}
	return r.OutputFiles[0].Contents, nil
}

func program() ([]byte, error) {
	scratch, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, "poolbench.wasm")
	// Without inlining outside of package runtime, the program is 8 % smaller and 10 % slower.
	args := []string{"build", "-tags=minimal,grpcnotrace", "-trimpath", "-ldflags=-s -w",
		"-gcflags=all=-l", "-gcflags=runtime=", "-o", path, module + "/internal/playground/wasm"}
	if _, err := goCommand([]string{"GOOS=js", "GOARCH=wasm", "GOFLAGS="}, args...); err != nil {
		return nil, err
	}
	plain, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}

func goCommand(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
