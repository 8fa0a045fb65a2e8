// Package mistakes tests mistakes of users: wrong flags, files and names, and outputs that cannot
// be written.
package mistakes
