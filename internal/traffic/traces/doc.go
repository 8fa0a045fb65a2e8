// Package traces reads recorded traffic: when tasks arrived and how long each took.
//
// What a file is shows in its content, gzip or not:
//
//   - CSV, TSV and files separated by semicolons, with names in the first line or without. Fields
//     may be quoted, but hold no line break.
//   - JSON lines: an object a line. A column is the name of one of its members.
//   - Access logs of nginx and Apache: fields are separated by spaces, and quotes and brackets keep
//     one together. In the combined format the time is column 4, named time_local, and the request
//     time, where the format ends with it, is column 10, named request_time.
//     Logs of another format say so (Source.Layout), and columns are then named by its variables.
//   - HTTP archives (HAR), entry by entry, with the columns startedDateTime, time, method, status
//     and url. A number in time is in milliseconds.
//   - Results of vegeta, in each of its three encodings, with the columns of its CSV: timestamp is
//     the first and latency the third, in nanoseconds.
//
// A time is ISO 8601 (UTC where no zone is given), that of an access log, or a number: seconds,
// milliseconds, microseconds or nanoseconds since 1970 by the magnitude of the first one, and
// seconds if that is small. A duration is 1.5ms, or a number of seconds where the
// format says nothing else. Both are kept to the nanosecond. Durations may be read alone: then the
// records stay in the order of the file.
//
// Records are sorted by their arrival; those of one instant stay in the order of the file. Sorting
// is needed, not lenient: a server logs a request at its end, and clocks are set back. Notes name
// what was odd, with the numbers of lines.
package traces
