package why

var unknown = rule{
	name:     "unknown",
	meaning:  "no metric shows the cause",
	cure:     "look at the slowest tasks, and at [the worst moment](#the-worst-moment)",
	evidence: func(v *view) string { return "no metric explains this part of the " + v.response() },
	remedy: func(*view) string {
		return "look at the slowest tasks, with --profile and --flight where they are"
	},
}
