package why

var unknown = rule{
	name:     "unknown",
	meaning:  "no metric shows the cause",
	cure:     "look at the slowest tasks, and at [the worst moment](#the-worst-moment)",
	evidence: func(v *view) string { return "no metric explains this part of the " + v.response() },
	remedy: func(*view) string {
		return "examine the slowest tasks, and use --profile or --flight to see where they wait"
	},
}
