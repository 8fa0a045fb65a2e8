package decide

import "testing"

func TestVerdictOfSeveralClaims(t *testing.T) {
	for want, got := range map[string]string{"1 holds": Holds.Of(1), "2 hold": Holds.Of(2),
		"1 depends": Depends.Of(1), "9 depend": Depends.Of(9), "1 does not hold": DoesNotHold.Of(1),
		"6 do not hold": DoesNotHold.Of(6), "3 undecided": ClaimUndecided.Of(3)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
