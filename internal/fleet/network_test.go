package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// network is a NATS server in a synctest bubble, with faults: restarts, lost files, lost and
// duplicated messages.
type network struct {
	*stage
	drop, double float64 // as shares of the messages

	mu     sync.Mutex
	dir    string
	server *server.Server // nil while no server listens
	faults *rand.Rand
	links  []io.Closer
}

func inBubble(t *testing.T, do func(*network)) {
	// NATS starts one goroutine per process for file stores. Its channel must be created outside
	// the bubble, or the bubble would never be idle.
	if _, _, err := openQueue(t.Context(), newStage(t).connect()); err != nil {
		t.Fatal(err)
	}
	// Timers work only in the bubble that created them, but nats.go keeps timers in a sync.Pool.
	// Two garbage collections empty the pool.
	empty := func() { runtime.GC(); runtime.GC() }
	empty()
	defer empty()
	synctest.Test(t, func(t *testing.T) {
		n := &network{stage: &stage{TB: t}, faults: rand.New(rand.NewPCG(1, 2))}
		t.Cleanup(n.cut)
		n.start(true)
		do(n)
	})
}

// start starts the server, without files or with its previous files.
func (n *network) start(empty bool) {
	if empty {
		n.dir = n.TempDir()
	}
	s, err := hub.Embedded{Dir: n.dir}.Start()
	if err != nil {
		n.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.server = s
}

func (n *network) cut() {
	n.mu.Lock()
	s, links := n.server, n.links
	n.server, n.links = nil, nil
	n.mu.Unlock()
	for _, l := range links {
		_ = l.Close() // it may already be closed
	}
	if s != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// restart stops the server for the time away.
func (n *network) restart(away time.Duration, empty bool) {
	n.cut()
	time.Sleep(away)
	n.start(empty)
}

func (n *network) InProcessConn() (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server == nil {
		return nil, errors.New("connection refused")
	}
	there, err := n.server.InProcessConn()
	if err != nil {
		return nil, err
	}
	here, far := net.Pipe()
	n.links = append(n.links, far, there)
	go n.carry(far, there)
	go n.carry(there, far)
	return here, nil
}

// carry forwards NATS messages in one direction, with faults.
func (n *network) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		text, times := []byte(line), 1
		words := strings.Fields(line)
		switch strings.ToUpper(words[0]) {
		case "PUB", "HPUB", "MSG", "HMSG":
			size, err := strconv.Atoi(words[len(words)-1])
			if err != nil {
				return
			}
			text = append(text, make([]byte, size+2)...)
			if _, err := io.ReadFull(in, text[len(line):]); err != nil {
				return
			}
			times = n.times()
		}
		for range times {
			if _, err := to.Write(text); err != nil {
				return
			}
		}
	}
}

// times returns how often to deliver the next message.
func (n *network) times() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch f := n.faults.Float64(); {
	case f < n.drop:
		return 0
	case f < n.drop+n.double:
		return 2
	}
	return 1
}

func (n *network) connect() *hub.Conn {
	n.Helper()
	conn, err := hub.Connect("", nats.InProcessServer(n))
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(conn.Close)
	return conn
}

// lose sets the share of lost and of duplicated messages.
func (n *network) lose(share float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop, n.double = share, share
}

func (n *network) openSweep() *Sweep {
	n.Helper()
	s, err := OpenSweep(n.Context(), n.connect(), testMember("here", "sweep"), 0, n.say)
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(func() { _ = s.Close() }) // the server may be unreachable
	return s
}

func (n *network) worker(id string, takes time.Duration) (end func() error) {
	n.Helper()
	return n.work(Worker{Conn: n.connect(), Self: testMember("host-"+id, id), Run: slow(takes)})
}

func (s *stage) heard(words string) (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if strings.Contains(l, words) {
			lines = append(lines, l)
		}
	}
	return lines
}

func (s *stage) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%q", s.lines)
}

func (n *network) agent(id string) {
	n.Helper()
	a := Agent{Conn: n.connect(), Self: testMember("host-"+id, id), Attack: pretend, Say: n.say}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(ctx) }()
	n.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			n.Error(err)
		}
	})
}

func (n *network) attack(agents int) Load {
	n.Helper()
	l := Load{Conn: n.connect(), Self: testMember("here", "load"), Attack: planned(agents),
		Say: n.say}
	l.Attack.Rate = 50
	return l
}
