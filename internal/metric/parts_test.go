package metric

import "testing"

func TestNames(t *testing.T) {
	for want, names := range map[string][]string{
		"p99-response-sec":              {P99Response, StatisticOf("p99", Response)},
		"mean-wait-sec":                 {MeanWait, StatisticOf(Mean, Wait)},
		"max-service-sec":               {MaxService, StatisticOf(Max, Service)},
		"p99-response-low-sec":          {P99ResponseLow, Low(P99Response)},
		"p99-response-high-sec":         {P99ResponseHigh, High(P99Response)},
		"mean-wait-ess":                 {MeanWaitESS, ESS(MeanWait)},
		"theory-p99-response-sec":       {TheoryP99Response, Theory(P99Response)},
		"capacity-met-load":             {CapacityMetLoad, CapacityMet("load")},
		"capacity-missed-load":          {CapacityMissedLoad, CapacityMissed("load")},
		"shed/op":                       {Shed, ShareOf("shed")},
		"mean-queued-sec":               {MeanQueued, PartQueued.Mean()},
		"tail-service-sec":              {TailService, PartService.Tail()},
		"tail-blocked/op":               {TailBlockedShare, PartBlocked.TailShare()},
		"next-slot-p99-response-sec":    {NextSlotP99Response, NextSlot + P99Response},
		"even-mean-response-sec":        {EvenMeanResponse, Even + MeanResponse},
		"no-target-p99-response-sec":    {NoTargetP99Response, NoTarget + P99Response},
		"short-p99-response-sec":        {ShortP99Response, OfKind(ClassShort, P99Response)},
		"io-mean-response-sec":          {IOMeanResponse, OfKind(ClassIO, MeanResponse)},
		"others-ops/s":                  {OthersThroughput, OfKind(Others, Throughput)},
		"others-share":                  {OthersShare, OfKind(Others, Share)},
		"priority-2-mean-wait-sec":      {OfPriority(2, MeanWait)},
		"tenant-0-share":                {OfTenant(0, Share)},
		"found-3-long/op":               {FoundLong(3)},
		"found-3-long-wait-sec":         {FoundLongWait(3)},
		"session-count":                 {Sessions + Count},
		"stage2-backlog-tasks":          {OfStage(2, BacklogTasks)},
		"step2-log_in-p99-response-sec": {OfStep(2, "log_in", P99Response)},
	} {
		for _, name := range names {
			if name != want {
				t.Errorf("%q, want %q", name, want)
			}
		}
	}
}
