package options

import (
	"strings"
	"testing"
)

func FuzzScenarioFile(f *testing.F) {
	for _, seed := range []string{
		"- strategy: [worker_pool, semaphore]\n  workload: hyperexp:mean=10ms,c2=16\n  load: " +
			"[0.5, 0.8]\n  clock: virtual\n",
		"- strategy: all\n  arrival: bulk:n=10,period=1s\n  n: 1000\n  deadline: 50ms\n  count: " +
			"3\n  seed: 7\n",
		"- {limit: '4,8', rate: 20, duration: 1s, warmup: 0.5, queue: 2}\n",
		"- &a\n  n: 5\n- <<: *a\n  seed: 2\n", "- n: |\n    5\n", "- ? n\n  : 5\n",
		"- !!int n: 5\n", "- *x\n", "%YAML 1.2\n---\n- n: 5\n...\n", "- n: 5 # five\n\t- m",
		"[{n: 5}, {n: 6}]", "- [", "- {", "- \"", "-", "---", "- : 5", "- []: 5\n", "- {[a]: 5}\n",
		"\ufeff- n: 5", "[[[[[[[[[[", "- - - - - - - - - n: 5", "- n: 5\n  strategy: \u202e\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		matrices, err := parseScenarioFile("f.yaml", data, axisNames())
		if err == nil && len(matrices) == 0 {
			t.Fatal("neither scenarios nor an error")
		}
		for _, m := range matrices {
			if err != nil {
				break
			}
			var suite = m.Words
			if s, complaint := suite.Suite(m.where); complaint != nil {
				err = complaint
			} else {
				for _, sc := range s.Scenarios {
					if complaint := sc.Validate(); complaint != nil {
						t.Errorf("impossible scenario: %v", complaint)
					}
				}
			}
		}
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "f.yaml") {
				t.Errorf("complaint %q does not begin with the file", line)
			}
		}
	})
}
