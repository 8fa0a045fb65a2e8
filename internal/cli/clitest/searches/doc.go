// Package searches tests searches: capacity, including that of servers, and advise.
package searches
