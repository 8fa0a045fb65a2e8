package page

import (
	"testing"

	"github.com/poolbench/poolbench/reports/internal/tab"
)

func TestPermalink(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	path := reportFile(t, smallRun(t))
	b := tab.New(t)
	b.Size(1200, 2000)
	for _, link := range []string{"#explore?m=p50&v=1",
		"#explore?m=p99&s=worker_pool,unbounded&x=0.5&p=unbounded&base=worker_pool&v=1",
		"#explore?m=ops%2Fs&scale=linear&s=serial,unbounded&x=0.8&v=1",
		"#explore?m=p99&zoom=0.55,0.85,0.02,0.1&v=1"} {
		b.Open("/dev/null", "")
		b.Open(path, link)
		b.Settled()
		before := picture(b)
		b.Reload()
		if share := differentShare(t, before, picture(b)); share > 0.005 {
			t.Errorf("after a reload %s differs in %.2f %% of the pixels", link, 100*share)
		}
		for _, selector := range []string{`[data-chip="serial"]`, `[data-sort="name"]`,
			`[aria-label="only serial"]`} {
			b.Click(selector)
			after := picture(b)
			if share := differentShare(t, before, after); share == 0 {
				t.Errorf("%s: %s did nothing", link, selector)
			}
			b.Reload() // at the link that the step produced
			if share := differentShare(t, after, picture(b)); share > 0.005 {
				t.Errorf("%s: after %s and a reload %.2f %% of the pixels differ", link, selector,
					100*share)
			}
			b.Back()
			if share := differentShare(t, before, picture(b)); share > 0.005 {
				t.Errorf("%s: after %s and Back %.2f %% of the pixels differ", link, selector,
					100*share)
			}
		}
	}
}
