package requests

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"path/filepath"
	"strings"
)

// Form returns the body and Content-Type of a multipart form. A part is name=value, name=@file, or
// name=<file, like curl's -F. ;type= and ;filename= may follow. Equal parts make equal bodies.
func Form(parts []string, read func(path string) ([]byte, error)) ([]byte, string, error) {
	sum := sha256.New()
	var all []formPart
	for _, text := range parts {
		p, err := parsePart(text, read)
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(sum, "%q %q %q ", p.name, p.file, p.kind)
		_, _ = sum.Write(p.content) // never fails
		all = append(all, p)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(fmt.Sprintf("poolbench-%x", sum.Sum(nil)[:16])); err != nil {
		return nil, "", err
	}
	for _, p := range all {
		field, err := w.CreatePart(p.header())
		if err == nil {
			_, err = field.Write(p.content)
		}
		if err != nil {
			return nil, "", err
		}
	}
	err := w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}

type formPart struct {
	name, file, kind string // file is "" for a field
	content          []byte
}

// Errors do not quote values, which may be secret.
func parsePart(text string, read func(path string) ([]byte, error)) (p formPart, err error) {
	name, value, ok := strings.Cut(text, "=")
	if p.name = name; !ok || name == "" {
		return p, errors.New("want NAME=VALUE or NAME=@FILE")
	}
	for {
		at := strings.LastIndexByte(value, ';')
		if at < 0 {
			break
		}
		if kind, ok := strings.CutPrefix(value[at:], ";type="); ok {
			p.kind = kind
		} else if file, ok := strings.CutPrefix(value[at:], ";filename="); ok {
			p.file = strings.Trim(file, `"`)
		} else {
			break
		}
		value = value[:at]
	}
	if path, ok := strings.CutPrefix(value, "<"); ok {
		p.content, err = read(path)
	} else if path, ok := strings.CutPrefix(value, "@"); ok {
		if p.file == "" {
			p.file = filepath.Base(path)
		}
		if p.kind == "" {
			p.kind = kindOf(p.file)
		}
		p.content, err = read(path)
	} else {
		p.content = []byte(value)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// kindOf is equal on every machine.
func kindOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".gif":
		return "image/gif"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".png":
		return "image/png"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain"
	case ".htm", ".html":
		return "text/html"
	case ".pdf":
		return "application/pdf"
	case ".xml":
		return "application/xml"
	}
	return "application/octet-stream"
}

func (p formPart) header() textproto.MIMEHeader {
	disposition := multipart.FileContentDisposition(p.name, p.file)
	if p.file == "" {
		disposition = strings.TrimSuffix(disposition, `; filename=""`)
	}
	h := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if p.kind != "" {
		h.Set("Content-Type", p.kind)
	}
	return h
}

func secretsOfForm(to []Secret, boundary string, body []byte) []Secret {
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := r.NextRawPart()
		if err != nil {
			return to
		}
		var value bytes.Buffer
		if _, err := value.ReadFrom(p); err == nil && p.FileName() == "" {
			to = addSecret(to, p.FormName(), value.String())
		}
	}
}
