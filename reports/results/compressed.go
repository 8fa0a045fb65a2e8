package results

import "bytes"

func compression(head []byte) (by, unpack string) {
	for _, known := range []struct{ magic, by, unpack string }{
		{"\x1f\x8b", "gzip", "gunzip"},
		{"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
		{"\xfd7zXZ\x00", "xz", "unxz"},
		{"BZh", "bzip2", "bunzip2"},
		{"PK\x03\x04", "zip", "unzip"},
	} {
		if bytes.HasPrefix(head, []byte(known.magic)) {
			return known.by, known.unpack
		}
	}
	return "", ""
}
