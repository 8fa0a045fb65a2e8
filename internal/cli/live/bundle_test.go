package live

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write bundle.js anew")

func TestBundle(t *testing.T) {
	result := api.Build(api.BuildOptions{EntryPoints: []string{"live.ts"}, Bundle: true,
		Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true})
	for _, m := range result.Errors {
		t.Fatalf("%+v: %s", m.Location, m.Text)
	}
	want := result.OutputFiles[0].Contents
	if *update {
		if err := os.WriteFile("bundle.js", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("bundle.js"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("bundle.js is behind its sources: make generate (%v)", err)
	}
	for _, bad := range []string{"</script", "innerHTML", "eval("} {
		if bytes.Contains(want, []byte(bad)) {
			t.Errorf("the script holds %s", bad)
		}
	}
}
