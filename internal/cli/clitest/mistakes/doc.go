// Package mistakes tests what users get wrong: flags, files, names, outputs that cannot be
// written.
package mistakes
