// Package searches tests searches: capacity, for servers too, and advise.
package searches
