package kills

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestPipeIsPlain(t *testing.T) {
	t.Chdir(t.TempDir())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		text <- string(b)
	}()
	code := cli.Run(t.Context(), strings.Fields("run --clock virtual --strategy worker_pool --load 1.5 "+
		"--n 50 --out x"), strings.NewReader(""), w, w)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got := <-text; code != clitest.Fine || strings.Contains(got, "\x1b") ||
		!strings.Contains(got, "VALID") {
		t.Errorf("exit code %d:\n%s", code, got)
	}
}
