package hub

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

type storeLog struct{ failed func(error) }

// These log lines report streams that cannot be written and damaged data. Other warnings are about
// repairs, for example after a kill.
var (
	writeFault = lazyregexp.New(`(?i)failed to store a msg|write error|out of .*(space|` +
		`resources)|permission denied|resource limits exceeded|error creating msg block`)
	readFault = lazyregexp.New(`(?i)metafile|checksum file|checksums do not match|error recreating|` +
		`corrupt|checkMsgs|loadBlock error|resource not found|error adding consumer`)
)

func (l storeLog) match(which *lazyregexp.Regexp, format string, v []any) {
	if s := fmt.Sprintf(format, v...); which.MatchString(s) {
		l.failed(errors.New("NATS: " + text.OneLine(s)))
	}
}

func (l storeLog) Errorf(format string, v ...any) { l.match(writeFault, format, v) }

func (l storeLog) Fatalf(format string, v ...any) { l.match(writeFault, format, v) }

func (l storeLog) Warnf(format string, v ...any) {
	l.match(readFault, format, v)
	l.match(writeFault, format, v)
}

func (storeLog) Noticef(string, ...any) {}

func (storeLog) Debugf(string, ...any) {}

func (storeLog) Tracef(string, ...any) {}

func StreamDir(s *server.Server, stream string) string {
	return filepath.Join(s.StoreDir(), "$G", "streams", stream, "msgs")
}
