package traces

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

const NoColumn = "none"

func Column(spelt string) string {
	if spelt == NoColumn {
		return ""
	}
	return spelt
}

var UnitNames = []string{"auto", "s", "ms", "us", "ns"}

// UnitOf returns 0, the unit of the format, for auto.
func UnitOf(name string) time.Duration {
	d, _ := time.ParseDuration("1" + name)
	return d
}

// Keys returns the common parameters of the arrivals and workload of a trace. With equal values,
// both have the same tasks in the same order.
func Keys() []param.Key {
	return []param.Key{
		{Name: "at", Kind: param.Choice, Default: "begin", Choices: []string{"begin", "end"},
			Doc: "time that the time column records: the begin of a task or, as in nginx's log, " +
				"its end"},
		{Name: "layout", Kind: param.Text, Default: "auto", Doc: "format of the lines of a log, " +
			"as in nginx's log_format or Apache's LogFormat, with ~ for each blank; auto: by the " +
			"content"},
		{Name: "unit", Kind: param.Choice, Default: "auto", Choices: UnitNames,
			Doc: "unit of durations that are plain numbers; auto: seconds, or the unit of Apache's " +
				"variable"},
		{Name: "from", Kind: param.Text, Default: "first",
			Doc: "begin of the replayed part: 09:00 on the first day, or 10m after the first " +
				"record"},
		{Name: "to", Kind: param.Text, Default: "last", Doc: "end of the replayed part, in the " +
			"same format"},
		{Name: "speed", Kind: param.Float, Default: "1",
			Doc: "factor of the speed: gaps shrink, durations do not change"},
		{Name: "scale", Kind: param.Float, Default: "1",
			Doc: "factor of the number of tasks: a random sample of the tasks, or additional " +
				"random copies"},
	}
}

// Open reads the part of a file that the parameters, including Keys, describe. Its error is one
// line that begins with the name of the parameter.
func Open(
	v param.Values, file, at, duration, class string, labels [MaxLabels]string,
) (*Plan, error) {
	s := Source{File: file, Time: at, Duration: Column(duration), Class: Column(class),
		End: v.Choice("at") == "end", Labels: labels, Unit: UnitOf(v.Choice("unit"))}
	if v.Given("layout") {
		s.Layout = v.Text("layout")
	}
	t, err := s.Read()
	if err != nil {
		return nil, err
	}
	w := Window{Speed: v.Float("speed"), Scale: v.Float("scale")}
	if v.Given("from") {
		w.From = v.Text("from")
	}
	if v.Given("to") {
		w.To = v.Text("to")
	}
	return t.Plan(w)
}
