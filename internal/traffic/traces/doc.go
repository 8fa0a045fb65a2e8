// Package traces reads recorded traffic: when tasks arrived and how long each took.
//
// It detects the format of a file by its content, with or without gzip:
//
//   - CSV, TSV and files separated by semicolons, with or without names in the first line. Fields
//     may be quoted, but contain no line break.
//   - JSON lines: one object per line. A column is the name of one of its members.
//   - Access logs of nginx and Apache. In the combined format the time is column 4, named time_local,
//     and the optional request time at the end is column 10, named request_time. Another format must
//     be given (Source.Layout), and its variables name the columns.
//
// A time is ISO 8601 (UTC without a zone), in the format of access logs, or a number: seconds,
// milliseconds, microseconds or nanoseconds since 1970 by the magnitude of the first one, and
// seconds if that is small. A duration is 1.5ms, or a number, in seconds unless the format defines
// another unit.
//
// Records are sorted stably by their arrival, because a server logs a request at its end, and
// clocks are set back. Notes report irregularities, with line numbers.
package traces
