package shell

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"
)

func TestAttributes(t *testing.T) {
	const evil = `x" onfocus="y' onblur='z>`
	p := Page{Title: evil, Trust: []Badge{{evil, "ok"}}, Figure: &Figure{ID: evil, Kind: evil},
		Sections: []Section{{ID: evil, Title: "s"}}}
	p.Add(true, "javascript:x", "t", Listed(evil, evil, []string{evil}))
	p.Add(true, "u", "u", Figure{Title: evil, Table: &Table{Of: evil, Heads: []string{evil}}})
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{` onfocus="`, ` onblur='`, `href="javascript`} {
		if strings.Contains(b.String(), no) {
			t.Errorf("the page has %q", no)
		}
	}
	if !strings.Contains(b.String(), `aria-label="x&#34; onfocus=&#34;y&#39;`) {
		t.Error("a title is not in its attribute")
	}
	b.Reset()
	if err := links("", []Section{{ID: "x:y", Title: "t"}}).Render(t.Context(), &b); err != nil ||
		!strings.Contains(b.String(), `href="about:invalid`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestPage(t *testing.T) {
	const evil = `</style><script>alert("x")</script>`
	p := Page{Title: evil, Subtitle: evil, Command: evil, Trust: []Badge{{"ok", evil}},
		Alerts: []Alert{{Lead: evil, Text: evil, Items: []Item{{evil, evil}}}},
		Answer: Answer{Headline: evil, Lead: evil, Next: evil, Facts: []Fact{{
			Title: evil, Text: evil, Bars: []Bar{{Label: evil, Value: evil, Share: 2}}}}},
		Figure:   &Figure{ID: "f", Title: evil, Caption: evil, More: evil},
		Sections: []Section{{ID: "s", Title: evil, Body: `<section id="s"></section>`}},
		CSS:      "a > b { color: red }", JS: `if (1 < 2 && "a" > 'b') { console.log("</b>") }`}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script>alert") {
		t.Error("a text became a script")
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).
		FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;; ") {
		t.Fatalf("policy: %v", policy)
	}
	for _, name := range []string{"style", "script"} {
		element := regexp.MustCompile(`(?s)<` + name + `>(.*?)</` + name + `>`)
		found := element.FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s", len(found), name)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'"; !strings.Contains(html.UnescapeString(policy[1]), want) {
			t.Errorf("the policy does not allow the page's %s", name)
		}
	}
	for _, no := range []string{` style="`, "onclick=", "<link", " src="} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q, which its policy forbids", no)
		}
	}
	last := -1
	for _, part := range []string{`<section id="answer"`, "<h1", `class="badges"`, `<figure id="f"`,
		`class="facts"`, `class="fact next"`, `<section id="s"`} {
		at := strings.Index(page, part)
		if at < last {
			t.Errorf("%s is not where it belongs", part)
		}
		last = at
	}
}
