// Package stores tests crash and durable queues when processes, servers, files and disks fail.
package stores
