package grpcdyn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/poolbench/poolbench/internal/files"
)

// bytes of a descriptor file
const MaxSet = 16 << 20

// Compilation takes 100 bytes of memory per byte of text, and stack space per level of braces.
// protoc allows 32 levels.
const (
	maxText    = 4 << 20
	maxNesting = 1000
)

func readText(path string) (string, error) {
	text, err := files.ReadFile(path, maxText)
	if err != nil {
		return "", err
	}
	depth, line := 0, 1
	for _, c := range text {
		switch c {
		case '\n':
			line++
		case '{', '[', '<', '(':
			depth++
		case '}', ']', '>', ')':
			depth = max(depth-1, 0)
		}
		if depth > maxNesting { // also counts braces in comments
			return "", fmt.Errorf("%s:%d: more than %d brackets are open", path, line, maxNesting)
		}
	}
	return string(text), nil
}

// ReadSet returns an encoded FileDescriptorSet. Imports of a .proto are in its directory or in the
// directories above it.
func ReadSet(path string) ([]byte, error) {
	if filepath.Ext(path) != ".proto" {
		set, err := files.ReadFile(path, MaxSet)
		if err == nil {
			if _, err = FromSet(set); err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
		}
		return set, err
	}
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	return compile(path, text)
}

// Files compiles a .proto that imports only protobuf's own files.
func Files(name, text string) (linker.Resolver, error) {
	from := protocompile.SourceAccessorFromMap(map[string]string{name: text})
	files, err := compileFrom(&protocompile.SourceResolver{Accessor: from}, name)
	if err != nil {
		return nil, err
	}
	return files.AsResolver(), nil
}

func compileFrom(from protocompile.Resolver, name string) (linker.Files, error) {
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(from)}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return files, nil
}

func compile(path, text string) ([]byte, error) {
	name := filepath.Base(path)
	files, err := compileFrom(&protocompile.SourceResolver{
		Accessor: func(asked string) (io.ReadCloser, error) {
			if asked == name {
				return io.NopCloser(strings.NewReader(text)), nil
			}
			return openNear(path, asked)
		}}, name)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	for _, f := range files {
		add(f)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&set)
}

func openNear(path, name string) (io.ReadCloser, error) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		text, err := readText(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		if parent := filepath.Dir(dir); parent == dir || !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}
