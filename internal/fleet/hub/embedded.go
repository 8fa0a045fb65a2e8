package hub

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// An Embedded server of NATS with JetStream runs in this process.
type Embedded struct {
	Dir        string // of its streams: JetStream wants one for those in memory too
	SyncAlways bool   // an fsync for each message
	// where it listens for clients of other processes, host:port; "": nowhere. Port 0 is any
	Listen string
	Token  string // that such a client must have; "": none
	// Failed is told what the server says when it cannot write to, or read from, its streams. It
	// says so to its log alone: a client waits for an answer that does not come. Nil: nobody is
	// told
	Failed func(error)
}

// starting is how long a server may take until it is ready: 2 ms, as a rule.
const starting = 20 * time.Second

// mostPayload bounds a message.
const mostPayload = 8 << 20

// Start starts it. Its Shutdown and WaitForShutdown end it.
func (e Embedded) Start() (*server.Server, error) {
	o := &server.Options{ServerName: "poolbench", JetStream: true, StoreDir: e.Dir,
		SyncAlways: e.SyncAlways, DontListen: e.Listen == "", Authorization: e.Token,
		MaxPayload: mostPayload, NoSigs: true, NoLog: e.Failed == nil}
	if e.Listen != "" {
		at, err := net.ResolveTCPAddr("tcp", e.Listen)
		if err != nil {
			return nil, err
		}
		o.Host, o.Port = at.IP.String(), cmp.Or(at.Port, server.RANDOM_PORT)
		// a server that cannot listen says so to a log alone
		trial, err := net.Listen("tcp", e.Listen)
		if err != nil {
			return nil, err
		}
		if err := trial.Close(); err != nil {
			return nil, err
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	if e.Failed != nil {
		s.SetLoggerV2(storeLog{e.Failed}, false, false, false)
	}
	s.Start()
	if !s.ReadyForConnections(starting) {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded NATS server is not ready after %v", starting)
	}
	return s, nil
}
