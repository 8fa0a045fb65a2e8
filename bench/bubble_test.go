package bench

import (
	"strings"
	"testing"
	"time"
)

// The virtual clock relies on undocumented behaviour: synctest.Test with an empty testing.T,
// outside of a test.
func TestBubble(t *testing.T) {
	var elapsed time.Duration
	if err := bubble(func() {
		start := time.Now()
		time.Sleep(48 * time.Hour)
		elapsed = time.Since(start)
	}); err != nil {
		t.Fatal(err)
	}
	if elapsed != 48*time.Hour {
		t.Errorf("48 hours took %v of virtual time", elapsed)
	}
	for what, f := range map[string]func(){
		"a deadlock":             hang,
		"a goroutine left alone": func() { go hang() },
	} {
		if err := bubble(f); err == nil ||
			!strings.HasPrefix(err.Error(), "virtual clock: deadlock") {
			t.Errorf("%s: error is %v", what, err)
		}
	}
	if err := bubble(func() { time.Sleep(time.Second) }); err != nil {
		t.Errorf("a bubble after a broken one: %v", err)
	}
}

// hang never returns. TestMain ignores the goroutines it leaves.
func hang() { <-make(chan int) }
