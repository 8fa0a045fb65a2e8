package hub

import (
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// An Embedded server of NATS with JetStream runs in this process.
type Embedded struct {
	Dir        string // of its streams: JetStream wants one for those in memory too
	SyncAlways bool   // an fsync for each message
	// of clients in other processes of this machine; "" is for none: the server listens nowhere
	Token string
}

// starting is how long a server may take until it is ready: 2 ms, as a rule.
const starting = 20 * time.Second

// mostPayload bounds a message.
const mostPayload = 8 << 20

// Start starts it. Its Shutdown and WaitForShutdown end it.
func (e Embedded) Start() (*server.Server, error) {
	s, err := server.NewServer(&server.Options{ServerName: "poolbench", JetStream: true,
		StoreDir: e.Dir, SyncAlways: e.SyncAlways, DontListen: e.Token == "", Host: "127.0.0.1",
		Port: server.RANDOM_PORT, Authorization: e.Token, MaxPayload: mostPayload, NoSigs: true,
		NoLog: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(starting) {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded NATS server is not ready after %v", starting)
	}
	return s, nil
}
