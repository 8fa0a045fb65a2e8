package terminal

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewProgress(&out, false, 4, 4*time.Minute)
		if got, want := s.left(), 4*time.Minute; got != want {
			t.Errorf("at first %v left, want %v", got, want)
		}
		time.Sleep(2 * time.Minute)
		s.Advance(1, time.Minute)
		if got, want := s.left(), 6*time.Minute; got != want {
			t.Errorf("after one of four %v left, want %v", got, want)
		}
		s.Close()
	})
}

func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewProgress(&out, true, 4, 4*time.Minute)
		s.quiet = false
		s.startClock(&StatusLine{On: &out})
		time.Sleep(10 * time.Second)
		s.Advance(1, time.Minute)
		synctest.Wait()
		drawn := out.String()
		if !strings.Contains(drawn, "0 of 4 runs") || !strings.Contains(drawn, "1 of 4 runs") {
			t.Errorf("drawn: %q", drawn)
		}
		s.SetStatus("201 /s, p50 8.00 ms, " + strings.Repeat("p99 37.0 ms, ", 9))
		for _, line := range strings.Split(out.String(), ClearLine) {
			if n := len([]rune(line)); n >= FallbackColumns {
				t.Errorf("%d columns in %q", n, line)
			}
		}
		if !strings.Contains(out.String(), " · 201 /s, p50") {
			t.Errorf("drawn: %q", out.String())
		}
		s.Note(func() { out.WriteString("a message\n") })
		if before, _, _ := strings.Cut(out.String(), "a message"); !strings.HasSuffix(before,
			ClearLine) {
			t.Errorf("a message in the middle of the line: %q", out.String())
		}
		s.Close()
		if drawn = out.String(); !strings.HasSuffix(drawn, ClearLine) {
			t.Errorf("at the end there is still %q", drawn[max(0, len(drawn)-80):])
		}
	})
}

func TestQuietProgress(t *testing.T) {
	var out bytes.Buffer
	s := NewProgress(&out, true, 4, 4*time.Minute)
	s.Advance(1, time.Minute)
	s.Println("well")
	s.Close()
	if out.Len() > 0 {
		t.Errorf("said %q", out.String())
	}
}
