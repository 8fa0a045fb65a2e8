package workloads

// A browser has no sockets, so no task has an HTTP status.
func statusText(int) string { return "" }
