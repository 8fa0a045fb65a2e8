package page

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"image/png"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
	"github.com/poolbench/poolbench/reports/results"
)

func exported(b *tab.Tab, button string) string {
	b.T.Helper()
	encoded := tab.Eval[string](b, fmt.Sprintf(`new Promise(done => {
		const read = async blob => {
			let text = "";
			for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
			done(btoa(text));
		};
		HTMLAnchorElement.prototype.click = function() {};
		const make = URL.createObjectURL;
		URL.createObjectURL = blob => (blob.type === "image/svg+xml" && %[1]q === "PNG" || read(blob), make.call(URL, blob));
		Object.defineProperty(navigator, "clipboard", {configurable: true,
			value: {writeText: async text => read(new Blob([text]))}});
		document.querySelector('.explore [data-do="%[1]s"]').click();
	})`, button))
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		b.T.Fatal(err)
	}
	return string(content)
}

func TestCSV(t *testing.T) {
	dir := smallRun(t)
	all, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, got := make(map[string]int), make(map[string]int)
	for _, r := range all.Runs {
		if v, ok := r.Value("p99-response-sec"); ok && r.Key("workload") == "exponential:mean=10ms" {
			want[fmt.Sprint(r.Key("strategy"), " ", r.Key("load"), " ", r.Repetition, " ",
				rounded(v, valueDigits))]++
		}
	}
	b := tab.New(t)
	b.Open(reportFile(t, dir), "#explore?m=p99&s=bounded_queue_shed,serial,unbounded,worker_pool&v=1")
	rows, err := csv.NewReader(strings.NewReader(exported(b, "CSV"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[at["p99-response-sec"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		got[fmt.Sprint(row[at["strategy"]], " ", row[at["load"]], " ", row[at["repetition"]], " ", v)]++
	}
	if len(want) < 20 || !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return strings.ReplaceAll(s, "semaphore", "a|b*c`d<i>[x](y)")
	})
	b := tab.New(t)
	b.Open(reportFile(t, dir), "#explore?m=p99&sort=-p99&base=serial&v=1")
	source := []byte(exported(b, "copy as Markdown"))
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	doc := parser.Parse(text.NewReader(source))
	var got [][]string
	if err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case extast.KindTableHeader, extast.KindTableRow:
			if entering {
				got = append(got, nil)
			}
		case extast.KindTableCell:
			if entering {
				got[len(got)-1] = append(got[len(got)-1], plain(n, source))
			}
		}
		return ast.WalkContinue, nil
	}); err != nil {
		t.Fatal(err)
	}
	want := tab.Eval[[][]string](b, `[...document.querySelectorAll(".explore table tr")].map(
		r => [...r.children].map(c => c.textContent.replace(/ [▲▼]$/, "").trim()))`)
	if len(want) < 4 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q\nin %s", got, want, source)
	}
	for _, fact := range []string{"commit: 0a1b2c3", "Points shown: VALID", "2026\\-11\\-21"} {
		if !bytes.Contains(source, []byte(fact)) && !bytes.Contains(source,
			[]byte(strings.ReplaceAll(fact, "\\", ""))) {
			t.Errorf("%q is not in %s", fact, source)
		}
	}
}

func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c, ok := c.(*ast.Text); ok {
			out.Write(c.Value(source))
			continue
		}
		out.WriteString("{" + c.Kind().String() + "}")
	}
	return strings.TrimSpace(unescaped.Replace(out.String()))
}

var unescaped = strings.NewReplacer(`\|`, "|", `\*`, "*", "\\`", "`", `\<`, "<", `\>`, ">", `\[`, "[",
	`\]`, "]", `\(`, "(", `\)`, ")", `\_`, "_")

func TestPNG(t *testing.T) {
	b := tab.New(t)
	b.Size(1200, 900)
	b.Open(reportFile(t, smallRun(t)), "#explore?m=p99&v=1")
	width := tab.Eval[int](b, `document.querySelector(".explore .main svg").viewBox.baseVal.width`)
	img, err := png.Decode(strings.NewReader(exported(b, "PNG")))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Dx(); got != 2*width {
		t.Errorf("%d pixels wide, the chart has %d", got, width)
	}
	seen := map[any]bool{}
	for x := range img.Bounds().Dx() {
		seen[img.At(x, img.Bounds().Dy()/2)] = true
	}
	if len(seen) < 3 {
		t.Errorf("%d colours", len(seen))
	}
}

func TestSVG(t *testing.T) {
	b := tab.New(t)
	b.Open(reportFile(t, smallRun(t)), "#explore?m=p99&v=1")
	file := exported(b, "SVG")
	if !tab.Eval[bool](b, fmt.Sprintf(`(d => d.documentElement.localName === "svg" &&
		!d.querySelector("parsererror, [tabindex], script"))(
		new DOMParser().parseFromString(%q, "image/svg+xml"))`, file)) {
		t.Errorf("%.500s", file)
	}
}
