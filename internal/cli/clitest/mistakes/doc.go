// Package mistakes tests users' mistakes: wrong flags, files and names, and outputs that cannot be
// written.
package mistakes
