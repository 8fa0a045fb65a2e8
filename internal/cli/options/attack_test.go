package options

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestDNSTTL(t *testing.T) {
	for args, want := range map[string]time.Duration{"": 30 * time.Second, "--dns-ttl=0s": 0, "--dns-ttl=90s": 90 * time.Second} {
		var o AttackOptions
		cmd := &cobra.Command{}
		AddAttackFlags(cmd, &o)
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if err := o.Read(nil, cmd, []string{"http://127.0.0.1:8080/"}); err != nil {
			t.Fatal(err)
		}
		attacks, err := o.Attacks()
		if err != nil || len(attacks) != 1 || attacks[0].DNSTTL != want {
			t.Errorf("%q: %+v, %v, want a DNSTTL of %v", args, attacks, err, want)
		}
	}
}
