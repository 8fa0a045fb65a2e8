package results

import "testing"

func TestShortNames(t *testing.T) {
	for _, test := range []struct {
		names  []string
		short  []string
		shared string
	}{
		{[]string{"Run/s=a/limit=4/load=0.8"}, []string{"Run/s=a/limit=4/load=0.8"}, ""},
		{[]string{"Run/s=a/limit=4/load=0.8", "Run/s=a/limit=4/load=0.8"},
			[]string{"Run/s=a/limit=4/load=0.8", "Run/s=a/limit=4/load=0.8"}, ""},
		{[]string{"Run/s=a/limit=4/load=0.8", "Run/s=b/limit=4/load=0.8"},
			[]string{"Run/s=a", "Run/s=b"}, "limit=4 load=0.8"},
		{[]string{"Run/s=a/limit=4", "Run/s=b/limit=5"},
			[]string{"Run/s=a/limit=4", "Run/s=b/limit=5"}, ""},
		{[]string{"X/json/s=a-8", "Y/json/s=a-8"}, []string{"X/json-8", "Y/json-8"}, "s=a"},
		// otherwise both would be equal
		{[]string{"X/s=a/s=a", "X/s=a"}, []string{"X/s=a/s=a", "X/s=a"}, ""},
	} {
		short, shared := ShortNames(test.names)
		for i, name := range test.names {
			if short[name] != test.short[i] {
				t.Errorf("%s of %v: %s, want %s", name, test.names, short[name], test.short[i])
			}
		}
		if shared != test.shared {
			t.Errorf("%v share %q, want %q", test.names, shared, test.shared)
		}
	}
}
