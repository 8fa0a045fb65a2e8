// Package searches tests searches: capacity, of servers too, and advise.
package searches
