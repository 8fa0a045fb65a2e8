// Package stores tests crash, and queues that outlive a process, when processes, servers, files
// and disks fail.
package stores
