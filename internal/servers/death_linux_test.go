package servers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/project/need"
)

const starterVariable = "POOLBENCH_TEST_STARTER"

// A server must end with the process that started it.
func TestDeath(t *testing.T) {
	if name := os.Getenv(starterVariable); name != "" {
		starter(t, name)
	}
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			if testing.Short() && k.Name == RabbitMQ.Name {
				t.Skip("long: skipped with -short")
			}
			if err := k.Missing(); err != nil {
				need.Skip(t, err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestDeath$")
			cmd.Env = append(os.Environ(), starterVariable+"="+k.Name)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			dir, err := bufio.NewReader(out).ReadString('\n')
			dir = strings.TrimSpace(dir)
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait()
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if left := leftIn(t, dir); left != "" {
				t.Error("still there:", left)
			}
		})
	}
}

func starter(t *testing.T, name string) {
	for _, k := range Kinds() {
		if k.Name == name {
			s, err := k.Start(t.Context(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(s.dir)
			select {}
		}
	}
}
