package table

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/text"
)

func sample() *Table {
	return &Table{Title: "Since <1>", Names: 1, Columns: []Column{{Title: "benchmark", Name: true},
		{Title: "metric", Below: true}, {}, {Title: "change", Align: text.Right, Verdict: true}},
		Rows: []Row{
			{Cells: []string{"a|b", "sec/op", "", "+1 %"}, Class: "worse", Notes: []string{"few", "few"}},
			{Cells: []string{"<c>", "B/op"}, Notes: []string{"equal", "few"}},
			{Cells: []string{"d", "B/op", "", "same"}}}}
}

func TestText(t *testing.T) {
	for most, want := range map[int]string{
		0: "benchmark  metric  change\n" +
			"a|b        sec/op    +1 % ¹\n" +
			"<c>        B/op           ² ¹\n" +
			"d          B/op      same\n" +
			"¹ few\n² equal\n",
		20: "benchmark\n  metric  change\n" +
			"a|b\n  sec/op    +1 % ¹\n" +
			"<c>\n  B/op           ² ¹\n" +
			"d\n  B/op      same\n" +
			"¹ few\n² equal\n",
	} {
		if got := sample().Text(most); got != want {
			t.Errorf("at most %d characters:\n%s\nwant\n%s", most, got, want)
		}
		if wider := sample().Wider(most); wider != (most == 20) {
			t.Errorf("wider than %d characters: %v", most, wider)
		}
	}
}

func TestMarkdown(t *testing.T) {
	const want = "| benchmark | metric |     | change |     |\n" +
		"| --------- | ------ | --- | -----: | --- |\n" +
		"| `a\\|b`    | sec/op |     |   +1 % | ¹   |\n" +
		"| `<c>`     | B/op   |     |        | ² ¹ |\n" +
		"| `d`       | B/op   |     |   same |     |\n" +
		"\n¹ few  \n² equal  \n"
	if got := sample().Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := Section("s", "A & B", "3 <rows>", sample().HTML(`"x"`)).Render(t.Context(),
		&b); err != nil {
		t.Fatal(err)
	}
	const want = `<section id="s" class="group" aria-labelledby="s-title">` +
		`<h2 id="s-title">A &amp; B</h2><details><summary>3 &lt;rows&gt;</summary>` +
		`<h3>Since &lt;1&gt;</h3><div class="scroll changes" tabindex="0" role="region" ` +
		`aria-label="&#34;x&#34;"><table><thead><tr><th scope="col" class="left name">` +
		`benchmark</th><th scope="col" class="left"></th><th scope="col" class="right outcome">` +
		`change</th></tr></thead><tbody><tr class="worse"><td class="left name">a|b` +
		`<small>sec/op; few</small></td><td class="left"></td><td class="right outcome">+1 %</td></tr>`
	if got := strings.ReplaceAll(b.String(), " <", "<"); !strings.HasPrefix(got, want) ||
		!strings.Contains(got, `&lt;c&gt;<small>B/op; equal; few</small>`) ||
		!strings.Contains(got, `d<small>B/op</small>`) ||
		!strings.HasSuffix(got, "</table></div></details></section>") {
		t.Errorf("%s", got)
	}
}
