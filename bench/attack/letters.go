package attack

import "github.com/poolbench/poolbench/strategies"

// withLetters is the sink of a loop, behind one that keeps dead letters where they are wanted.
func (a Attack) withLetters(t *openLoop) strategies.Sink {
	if a.DeadLetters == nil {
		return t
	}
	return &strategies.DeadLetterSink{Next: t, Letters: letters{t.run}, Describe: t.describe}
}

// A letter is what is kept of a request, enough to send it again.
type letter struct {
	Seq    uint64 `json:"seq"`
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status"` // of the last answer
}

func (t *openLoop) describe(task *strategies.Task) any {
	j := task.Arg.(*job)
	r := t.attack.Requests[j.seq%uint64(len(t.attack.Requests))]
	return letter{j.seq, r.Method, Shown(r.URL), j.status}
}

// letters give the attack up when one of them is not kept.
type letters struct{ of *run }

// Add implements strategies.DeadLetters.
func (l letters) Add(d strategies.DeadLetter) error {
	err := l.of.attack.DeadLetters.Add(d)
	if err != nil {
		l.of.tally.fail(err)
		l.of.give(err)
	}
	return err
}
