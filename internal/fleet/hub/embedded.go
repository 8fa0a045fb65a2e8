package hub

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

type Embedded struct {
	Dir        string // directory of its streams; JetStream needs it even for streams in memory
	SyncAlways bool   // whether to fsync each message
	// host:port for clients in other processes, or "" for none
	Listen string
	Token  string // token required from such clients, or "" for none
	// receives I/O errors of streams, which the server only logs while the client gets no answer;
	// may be nil
	Failed func(error)
}

// A start usually takes 2 ms.
const starting = 20 * time.Second

// bytes of a message
const maxPayload = 8 << 20

// The caller ends the server with Shutdown and WaitForShutdown.
func (e Embedded) Start() (*server.Server, error) {
	o := &server.Options{ServerName: "poolbench", JetStream: true, StoreDir: e.Dir,
		SyncAlways: e.SyncAlways, DontListen: e.Listen == "", Authorization: e.Token,
		MaxPayload: maxPayload, NoSigs: true, NoLog: e.Failed == nil}
	if e.Listen != "" {
		at, err := net.ResolveTCPAddr("tcp", e.Listen)
		if err != nil {
			return nil, err
		}
		o.Host, o.Port = at.IP.String(), cmp.Or(at.Port, server.RANDOM_PORT)
		// The server only logs a failure to listen.
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
