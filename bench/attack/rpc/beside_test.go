package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/targets/rpc"
)

// besideVariable makes the test binary a server until its standard input ends.
const besideVariable = "POOLBENCH_SERVING_BESIDE"

func serveBeside() error {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	remote, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := targets.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	go server.Serve(plain) // both end with the process
	handler := rpc.Handler(through{new(atomic.Int64)},
		func(context.Context, uint64) error { return nil })
	go handler.(*grpc.Server).Serve(remote)
	fmt.Println(plain.Addr(), remote.Addr())
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func besideServers(b *testing.B) (plain, remote string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), besideVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if _, err := fmt.Fscan(out, &plain, &remote); err != nil {
		b.Fatal(err)
	}
	return plain, remote
}

const besideLength = 3 * time.Second

func byCommand(b *testing.B, path string, args ...string) map[string]float64 {
	b.Helper()
	cmd := exec.Command(path, append([]string{"attack", "--duration", besideLength.String(),
		"--quiet", "--out", "r", "--force", "--format", "json"}, args...)...)
	cmd.Dir = filepath.Dir(path)
	out, err := cmd.Output()
	var doc struct {
		Runs []struct{ Metrics map[string]float64 }
	}
	if e := json.Unmarshal(out, &doc); e != nil || len(doc.Runs) != 1 ||
		doc.Runs[0].Metrics["failed/op"] != 0 {
		b.Fatal(err, e, string(out))
	}
	return doc.Runs[0].Metrics
}

// byOther returns the first match of the pattern in another tool's output.
func byOther(b *testing.B, pattern, name string, args ...string) float64 {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Skip(name + " is not installed")
	}
	out, err := exec.Command(name, args...).Output()
	found := regexp.MustCompile(pattern).FindSubmatch(out)
	if err != nil || found == nil {
		b.Fatal(err, string(out))
	}
	v, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// BenchmarkBeside compares the poolbench command with h2load and ghz against a server process.
// Metrics are medians over the rounds of 3 s per tool. Use an idle machine: `make attack`.
func BenchmarkBeside(b *testing.B) {
	path := filepath.Join(b.TempDir(), "poolbench")
	build := exec.Command("go", "build", "-o", path, "github.com/poolbench/poolbench/cmd/poolbench")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	proto := filepath.Join(b.TempDir(), "target.proto")
	if err := os.WriteFile(proto, []byte(rpc.Proto), 0o666); err != nil {
		b.Fatal(err)
	}
	plain, remote := besideServers(b)
	rounds := func(name string, round func(b *testing.B) map[string]float64) {
		b.Run(name, func(b *testing.B) {
			all := map[string][]float64{}
			for b.Loop() {
				for unit, v := range round(b) {
					all[unit] = append(all[unit], v)
				}
			}
			b.ReportMetric(0, "ns/op")
			for unit, values := range all {
				slices.Sort(values)
				b.ReportMetric(values[len(values)/2], unit)
			}
		})
	}
	call := "grpc://" + remote + "/poolbench.v1.Target/Call"
	length := strings.TrimSuffix(besideLength.String(), "s")
	rounds("h2c,10x10", func(b *testing.B) map[string]float64 {
		theirs := byOther(b, `finished in .*?, ([\d.]+) req/s`, "h2load", "-t1", "-c10", "-m10",
			"-D"+length, "http://"+plain+"/")
		ours := byCommand(b, path, "http://"+plain+"/", "--h2c", "--clients", "100",
			"--connections", "10", "--streams", "10")["ops/s"]
		return map[string]float64{"poolbench-req/s": ours, "h2load-req/s": theirs,
			"x-h2load": ours / theirs}
	})
	rounds("gRPC,50", func(b *testing.B) map[string]float64 {
		theirs := byOther(b, `Requests/sec:\s+([\d.]+)`, "ghz", "--insecure", "--proto", proto,
			"--call", "poolbench.v1.Target.Call", "-c", "50", "-z", besideLength.String(), remote)
		ours := byCommand(b, path, call, "--clients", "50")["ops/s"]
		return map[string]float64{"poolbench-req/s": ours, "ghz-req/s": theirs,
			"x-ghz": ours / theirs}
	})
	for name, args := range map[string][]string{
		"lag,h2c":  {"http://" + plain + "/", "--h2c", "--connections", "10"},
		"lag,gRPC": {call},
	} {
		rounds(name, func(b *testing.B) map[string]float64 {
			got := byCommand(b, path, append(args, "--rate", "5000")...)
			return map[string]float64{"p99-lag-µs": 1e6 * got["p99-lag-sec"],
				"p99-service-µs": 1e6 * got["p99-service-sec"]}
		})
	}
}
