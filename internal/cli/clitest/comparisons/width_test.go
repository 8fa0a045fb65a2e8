package comparisons

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// With COLUMNS=80, no line may be wider and no word may be lost. To detect lost words, each command
// runs twice. Commands that measure do so only in make check.
func TestWidth(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "requests.csv", "time,took\n"+clitest.PlayedTasks(t, "poisson", 0.5, 700))
	whole := !testing.Short()
	long := "token_bucket:rate=200,burst=20,"
	commands := []string{
		"run --clock virtual --strategy worker_pool,bounded_queue_shed," + long +
			"dispatcher --load 0.8 --n 500 --count 2 --objective p99-response<80ms --out x",
		"run --clock virtual --strategy worker_pool,bounded_queue_shed --load 0.8 --n 500 " +
			"--seed 9 --count 10 --out y",
		"run --clock virtual --strategy worker_pool," + long + "dispatcher --n 200 " +
			"--load 0.3,0.4,0.5,0.6,0.7,0.8,0.9 --out z",
		"capacity --clock virtual --strategy worker_pool --n 500 --resolution 50% --count 6 " +
			"--objective p99-response<80ms --out c",
		"study throttle --quick --out v",
		"compare x y z", "gate x y", "trend x y z x y z x y z x", "list", "list strategies", "list strategies worker_pool", "list workloads hyperexp",
		"list studies", "why x", "why y", "why z",
		"trace requests.csv --column time --duration took --from 1m",
	}
	if testing.Short() {
		commands = append([]string{commands[0], "compare x x", "why x"}, commands[8:13]...)
	}
	for _, args := range commands {
		measures := strings.Contains(args, "--out")
		if measures {
			args += " --force"
		}
		wide := ""
		if whole || !measures {
			t.Setenv("COLUMNS", "")
			wide = clitest.Command(t, strings.Fields(args)...).Stdout
		}
		t.Setenv("COLUMNS", "80")
		narrow := clitest.Command(t, strings.Fields(args)...)
		for line := range strings.Lines(narrow.Stdout + narrow.Stderr) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: %d columns: %s", args, n, line)
			}
		}
		have := map[string]bool{}
		for _, word := range strings.FieldsFunc(narrow.Stdout, isGap) {
			have[word] = true
		}
		for _, word := range strings.FieldsFunc(wide, isGap) {
			// Words of 40 or more characters may be cut, and table notes are numbered.
			if !have[word] && len(word) < 40 && strings.Trim(word, "¹²³⁴⁵⁶⁷⁸⁹⁰") != "" {
				t.Errorf("%s: %q is lost:\n%s", args, word, narrow.Stdout)
				break
			}
		}
	}
}

// isGap reports whether a character separates words. A comma separates the columns of a table that
// is printed as a paragraph.
func isGap(r rune) bool { return r == ' ' || r == '\n' || r == ',' }
