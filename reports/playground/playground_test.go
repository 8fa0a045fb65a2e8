package playground

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/poolbench/poolbench/internal/playground"
	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/reports/internal/tab"
	_ "github.com/poolbench/poolbench/strategies/builtin"
)

func TestMain(m *testing.M) {
	tab.Main(m)
	if site.dir != "" {
		_ = os.RemoveAll(site.dir)
	}
}

var site struct {
	once sync.Once
	dir  string
	err  error
}

func serve(t *testing.T) (address string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program and runs it in a browser")
	}
	site.once.Do(func() {
		if site.dir, site.err = os.MkdirTemp("", "playground"); site.err == nil {
			site.err = Build(site.dir)
		}
	})
	if site.err != nil {
		t.Fatal(site.err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site.dir)))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func open(b *tab.Tab, address, hash string) {
	b.T.Helper()
	tab.Run(b, chromedp.Navigate("about:blank")) // otherwise the page would not reload
	tab.Run(b, chromedp.Navigate(address+hash))
	answered(b)
}

func answered(b *tab.Tab) {
	b.T.Helper()
	if !tab.Eval[bool](b, `new Promise(done => {
		const look = () => document.querySelector("#answer:not(.stale) .status")?.textContent
			.startsWith("20,000 ") ? done(true) : setTimeout(look, 20);
		look();
		setTimeout(() => done(false), 60000);
	})`) {
		b.T.Fatal("no answer: ", tab.Eval[string](b, `document.body.innerText`))
	}
}

var command = sync.OnceValues(func() (string, error) {
	path := filepath.Join(site.dir, "poolbench")
	out, err := exec.Command("go", "build", "-o", path, module+"/cmd/poolbench").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

func poolbench(t *testing.T) (run func(args ...string) map[string]map[string]float64) {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) map[string]map[string]float64 {
		t.Helper()
		dir := t.TempDir()
		if out, err := exec.Command(path, append(args, "--quiet", "--out", dir+"/out")...).
			CombinedOutput(); err != nil {
			t.Fatalf("poolbench %q: %v: %s", args, err, out)
		}
		return metricsOf(t, dir+"/out/results.txt")
	}
}

var strategyIn = regexp.MustCompile(`^BenchmarkRun/strategy=([a-z0-9_]+)/`)

func metricsOf(t *testing.T, path string) map[string]map[string]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]map[string]float64{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		of := strategyIn.FindStringSubmatch(lines.Text())
		if of == nil {
			continue
		}
		fields := strings.Fields(lines.Text())
		all[of[1]] = map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			all[of[1]][fields[i+1]] = v
		}
	}
	return all
}

type request struct {
	Strategy string  `json:"strategy"`
	Workload string  `json:"workload"`
	Arrival  string  `json:"arrival"`
	Limit    int     `json:"limit"`
	Queue    int     `json:"queue"`
	Load     float64 `json:"load"`
	Rate     float64 `json:"rate"`
	Tasks    int     `json:"tasks"`
}

func (r request) args() []string {
	return []string{"run", "--clock", "virtual", "--strategy", r.Strategy, "--workload",
		r.Workload, "--arrival", r.Arrival, "--limit", strconv.Itoa(r.Limit), "--load",
		strconv.FormatFloat(r.Load, 'g', -1, 64), "--n", strconv.Itoa(r.Tasks)}
}

func randomRequest(r *rand.Rand) request {
	// No distribution has constant times: tasks would end simultaneously, and the order of
	// simultaneous events is not deterministic.
	laws := []string{"exponential:mean=7ms", "lognormal:mean=10ms,c2=4",
		"lognormal:mean=2ms,c2=20", "hyperexp:mean=10ms,c2=16"}
	choices := playground.Choices()
	return request{choices[r.IntN(len(choices))].Name, laws[r.IntN(len(laws))],
		[]string{"poisson", "poisson", "mmpp"}[r.IntN(3)], 1 + r.IntN(32), 0,
		float64(5+r.IntN(26)) / 20, 0, 2000 + r.IntN(4000)}
}

// The WebAssembly program must return exactly the metrics of the command, except theory.
func TestFigures(t *testing.T) {
	address := serve(t)
	run := poolbench(t)
	b := tab.New(t)
	open(b, address, "")
	r := rand.New(rand.NewPCG(47, 0))
	var all []request
	for range 30 {
		all = append(all, randomRequest(r))
	}
	asked, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Error   string
		Metrics map[string]float64
	}
	answers := tab.Eval[[]answer](b, fmt.Sprintf(`(async () => {
		const packed = (await fetch("poolbench.wasm.bin")).body;
		const program = await WebAssembly.compileStreaming(new Response(
			packed.pipeThrough(new DecompressionStream("gzip")),
			{headers: {"Content-Type": "application/wasm"}}));
		const worker = new Worker("worker.js");
		const next = (message) => new Promise((done) => {
			worker.onmessage = (e) => done(e.data);
			worker.postMessage(message);
		});
		await next(program);
		const out = [];
		for (const r of %s) {
			const a = await next(r);
			out.push({Error: a.error ?? "", Metrics: a.metrics});
		}
		worker.terminate();
		return out;
	})()`, asked))
	for i, r := range all {
		if answers[i].Error != "" {
			t.Errorf("%+v: %s", r, answers[i].Error)
			continue
		}
		same := 0
		for unit, want := range run(r.args()...)[r.Strategy] {
			got, ok := answers[i].Metrics[unit]
			// theory uses math.Exp, whose last bit differs in assembly
			exact := strings.HasPrefix(unit, "theory-")
			if !ok || got != want && !(exact && math.Abs(got/want-1) < 1e-12) {
				t.Errorf("%+v: %s is %v in the browser (%v), %v by the command", r, unit, got, ok,
					want)
			}
			same++
		}
		if same < 30 {
			t.Errorf("%+v: %d metrics", r, same)
		}
	}
}

func TestCommand(t *testing.T) {
	address := serve(t)
	run := poolbench(t)
	b := tab.New(t)
	for _, hash := range []string{"",
		"#v=1&a=worker_pool,4,&b=bounded_queue_shed,4,&same=load&load=120&law=constant&mean=3",
		"#v=1&a=bounded_queue_shed,4,0&b=bounded_queue_shed,6,9&same=rate&load=115&law=lognormal" +
			"&mean=7&c2=2.5&arrival=mmpp",
		"#v=1&a=errgroup_limit,7,&b=partitioned,7,&same=rate&load=73&law=bimodal&mean=13&share=3" +
			"&times=40",
	} {
		open(b, address, hash)
		lines := strings.Split(tab.Eval[string](b,
			`document.querySelector("#command").textContent`), "\n")
		type cell struct {
			Side        int
			Unit, Value string
		}
		cells := tab.Eval[[]cell](b, `[...document.querySelectorAll(".figures td[data-unit]")].map(
			td => ({Side: td.cellIndex - 1, Unit: td.dataset.unit, Value: td.dataset.value}))`)
		if len(cells) < 12 {
			t.Errorf("%s: %d cells", hash, len(cells))
		}
		sides := tab.Eval[[]string](b, `[...document.querySelectorAll("#controls select")].
			filter(s => s.id.startsWith("strategy")).map(s => s.value)`)
		var results []map[string]map[string]float64
		for _, line := range lines {
			results = append(results, run(strings.Fields(line)[1:]...))
		}
		for _, c := range cells {
			of := results[min(c.Side, len(results)-1)][sides[c.Side]]
			if want := strconv.FormatFloat(of[c.Unit], 'g', -1, 64); !sameNumber(c.Value, want) {
				t.Errorf("%s: %s of side %d is %s on the page, %s by %s", hash, c.Unit, c.Side,
					c.Value, want, lines)
			}
		}
	}
}

func sameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

func TestPage(t *testing.T) {
	address := serve(t)
	b := tab.New(t)
	axe := tab.Axe(t, filepath.Join("..", "page", "front"))
	for _, at := range []struct {
		width  int64
		scheme string
	}{{1280, "light"}, {390, "dark"}, {1280, "dark"}, {390, "light"}} {
		b.Size(at.width, 844)
		b.Media(at.scheme)
		open(b, address, "")
		b.Settled()
		finding := tab.Eval[string](b, `document.querySelector("#finding").textContent`)
		if !regexp.MustCompile(`^At 640 tasks/s the p99 response time is \S+ ms with limit 8, ` +
			`and \S+ ms with limit 16 \(\S+× as long with limit 8\)\.$`).MatchString(finding) {
			t.Errorf("the finding is %q", finding)
		}
		if bottom := tab.Eval[float64](b, `document.querySelector(".figures tbody tr").
			getBoundingClientRect().bottom`); bottom > 844 {
			t.Errorf("at %d px the first figures end at %v", at.width, bottom)
		}
		if wide := tab.Eval[int64](b, `document.documentElement.scrollWidth`); wide > at.width {
			t.Errorf("at %d px the page is %d px wide", at.width, wide)
		}
		for _, small := range tab.Eval[[]string](b, `[...document.querySelectorAll("body *")].filter(
			e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) &&
				e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) < 12).map(
			e => e.outerHTML.slice(0, 100))`) {
			t.Errorf("at %d px below 12 px: %s", at.width, small)
		}
		for _, v := range b.Violations(axe) {
			t.Errorf("%s, %d px: %s", at.scheme, at.width, v)
		}
		for _, text := range b.CutOff("#charts svg", "DejaVu Sans") {
			t.Errorf("at %d px %q is cut off", at.width, text)
		}
	}
	for _, asked := range b.Requests() {
		if asked != "about:blank" && !strings.HasPrefix(asked, address) &&
			!strings.HasPrefix(asked, "data:") {
			t.Errorf("the page asks for %s", asked)
		}
	}
}

func TestKeyboard(t *testing.T) {
	address := serve(t)
	b := tab.New(t)
	open(b, address, "")
	before := tab.Eval[string](b, `document.querySelector("#finding").textContent`)
	tab.Eval[bool](b, `document.querySelector("#limit-b").focus(), true`)
	b.Key(kb.ArrowLeft)
	answered(b)
	after := tab.Eval[string](b, `document.querySelector("#finding").textContent`)
	command := tab.Eval[string](b, `document.querySelector("#command").textContent`)
	if after == before || !strings.Contains(after, "limit 15") ||
		!strings.Contains(command, "--limit 15 ") {
		t.Errorf("after a key: %q, %q", after, command)
	}
	hash := tab.Eval[string](b, `location.hash`)
	open(b, address, hash)
	if again := tab.Eval[string](b, `document.querySelector("#finding").textContent`); again != after {
		t.Errorf("the link %s shows %q instead of %q", hash, again, after)
	}
}

func TestPresets(t *testing.T) {
	address := serve(t)
	b := tab.New(t)
	open(b, address, "")
	for i := range tab.Eval[int](b, `document.querySelectorAll(".presets button").length`) {
		name := tab.Eval[string](b, fmt.Sprintf(
			`(b => (b.click(), b.textContent))(document.querySelectorAll(".presets button")[%d])`, i))
		answered(b)
		finding := tab.Eval[string](b, `document.querySelector("#finding").textContent`)
		if !regexp.MustCompile(`\d m?s`).MatchString(finding) {
			t.Errorf("%s: %q", name, finding)
		}
		// Different implementations of one limit have identical figures.
		if name == "errgroup or worker pool" && !strings.Contains(finding, "both have the same") {
			t.Errorf("%s: %q", name, finding)
		}
	}
}

func TestLinks(t *testing.T) {
	address := serve(t)
	b := tab.New(t)
	open(b, address, "#v=1&a=worker_pool,1e9,-4&b=%3Cb%3E,x,&load=NaN&mean=-1&law=evil&m=toString")
	got := tab.Eval[[]string](b, `["#limit-a", "#queue-a", "#strategy-b", "#limit-b", "#load",
		"#mean", "#law", "#metric"].map(id => document.querySelector(id).value)`)
	want := []string{"64", "0", "worker_pool", "16", "80", "1", "exponential", "p99"}
	if !slices.Equal(got, want) {
		t.Errorf("the link gives %q, want %q", got, want)
	}
}

// maxPacked limits the compressed program, in bytes. Brotli would save a quarter.
const maxPacked = 2_000_000

func TestSize(t *testing.T) {
	serve(t)
	info, err := os.Stat(filepath.Join(site.dir, "poolbench.wasm.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxPacked {
		t.Errorf("the program has %d bytes, want at most %d", info.Size(), maxPacked)
	}
}

func TestTypes(t *testing.T) {
	tsc := filepath.Join("..", "page", "front", "node_modules", ".bin", "tsc")
	if _, err := exec.LookPath("node"); err != nil {
		need.Skip(t, "there is no node here")
	}
	if _, err := os.Stat(tsc); err != nil {
		need.Skip(t, "the type checker is not installed: npm ci in reports/page/front")
	}
	if out, err := exec.Command(tsc, "--project", ".").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
