// Package documents tests help, lists, the pages of docs and golden files.
package documents
