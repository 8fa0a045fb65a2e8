package manual

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/poolbench/poolbench/internal/cli"
)

type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Image string
					Args  []string
				}
			}
		}
	}
}

var kinds = map[string]string{"Service": "v1", "PersistentVolumeClaim": "v1",
	"Deployment": "apps/v1", "Job": "batch/v1"}

// untilItWaits interrupts a command when it waits for a server.
type untilItWaits struct {
	said      bytes.Buffer
	interrupt func()
}

func (w *untilItWaits) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("waiting for the server")) {
		w.interrupt()
	}
	return w.said.Write(p)
}

func TestKubernetes(t *testing.T) {
	text := strings.ReplaceAll(read(t, checkout+"/examples/kubernetes/sweep.yaml"),
		"nats://poolbench-nats:4222", "nats://127.0.0.1:1")
	objects := yaml.NewDecoder(strings.NewReader(text))
	commands := 0
	for {
		var o object
		if err := objects.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if o.Metadata.Name == "" || o.APIVersion == "" || kinds[o.Kind] != o.APIVersion {
			t.Errorf("%s %s %q", o.APIVersion, o.Kind, o.Metadata.Name)
		}
		for _, c := range o.Spec.Template.Spec.Containers {
			if !strings.Contains(c.Image, "poolbench") {
				continue
			}
			commands++
			ctx, interrupt := context.WithCancel(t.Context())
			said := &untilItWaits{interrupt: interrupt}
			code := cli.Run(ctx, append(c.Args, "--quiet"), strings.NewReader(""), said, said)
			interrupt()
			want := 2
			if c.Args[0] == "worker" { // it waits for the server until it is interrupted
				want = 130
			}
			if code != want || !strings.Contains(said.said.String(), "NATS at nats://127.0.0.1:1") {
				t.Errorf("poolbench %q: exit code %d, %s; want it to look for the server", c.Args,
					code, said.said.String())
			}
		}
	}
	if commands != 2 {
		t.Errorf("%d commands of poolbench, want 2", commands)
	}
}
