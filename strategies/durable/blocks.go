package durable

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/poolbench/poolbench/strategies/engine"
)

// blockFiles watches the message files of an embedded NATS server, because the server answers from
// memory. The server appends to a file, replaces it to compact it, and removes a file only if there
// is a later one. Other changes are damage.
type blockFiles struct {
	dir   string
	files map[int]*blockFile // by number
	last  int                // largest number so far
	gone  bool               // the last check found no file of that number or later
}

type blockFile struct {
	info  os.FileInfo
	pages []uint32 // checksums of its complete pages
	next  int      // page to check next
}

const (
	blockPage = 4 << 10
	// maximum of pages per check: 1 MB, checked in a fraction of a millisecond
	maxPages = 256
)

var crc32c = crc32.MakeTable(crc32.Castagnoli)

// check ignores an unreadable directory, which health reports.
func (b *blockFiles) check() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil
	}
	last := 0
	found := map[int]*blockFile{}
	for _, e := range entries {
		var number int
		if n, err := fmt.Sscanf(e.Name(), "%d.blk", &number); n != 1 || err != nil ||
			e.Name() != blockName(number) {
			continue
		}
		now, err := b.files[number].check(filepath.Join(b.dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // the server has removed it meanwhile
		}
		if err != nil {
			return err
		}
		found[number], last = now, max(last, number)
	}
	b.files = found
	if last < b.last {
		if b.gone {
			return fmt.Errorf("%w: %s", engine.ErrGone, filepath.Join(b.dir, blockName(b.last)))
		}
		b.gone = true
		return nil
	}
	b.last, b.gone = last, false
	return nil
}

func blockName(number int) string { return fmt.Sprintf("%d.blk", number) }

func (f *blockFile) check(path string) (*blockFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if f == nil || !os.SameFile(f.info, info) {
		f = &blockFile{info: info}
	}
	if info.Size() < f.info.Size() {
		return nil, fmt.Errorf("%s was made shorter, from %d to %d bytes", path, f.info.Size(),
			info.Size())
	}
	f.info = info
	page := make([]byte, blockPage)
	sum := func(number int) (uint32, error) {
		_, err := file.ReadAt(page, int64(number)*blockPage)
		return crc32.Checksum(page, crc32c), err
	}
	for range min(maxPages, len(f.pages)) {
		now, err := sum(f.next)
		if err == io.EOF || err == nil && now != f.pages[f.next] {
			return nil, fmt.Errorf("bytes of %s were changed after they were written", path)
		}
		if err != nil {
			return nil, err
		}
		f.next = (f.next + 1) % len(f.pages)
	}
	for len(f.pages) < int(info.Size()/blockPage) {
		now, err := sum(len(f.pages))
		if err != nil {
			return nil, err
		}
		f.pages = append(f.pages, now)
	}
	return f, nil
}
