package grpcdyn

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

type Method struct {
	Path string // /package.Service/Method
	of   protoreflect.MethodDescriptor
}

func CutPath(path string) (service, method string, err error) {
	service, method, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !ok || !protoreflect.FullName(service).IsValid() || !protoreflect.Name(method).IsValid() {
		return "", "", errors.New("want /package.Service/Method")
	}
	return service, method, nil
}

// A Source finds the descriptor of a full name. Its error lists the known names.
type Source func(service string) (protoreflect.Descriptor, error)

func (s Source) Method(path string) (*Method, error) {
	name, method, err := CutPath(path)
	if err != nil {
		return nil, err
	}
	found, err := s(name)
	if err != nil {
		return nil, err
	}
	service, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is no service", name)
	}
	of := service.Methods().ByName(protoreflect.Name(method))
	switch {
	case of == nil:
		var known []string
		for i := range service.Methods().Len() {
			known = append(known, string(service.Methods().Get(i).Name()))
		}
		return nil, fmt.Errorf("service %s has no method %s (it has: %s)", name, method,
			strings.Join(known, ", "))
	case of.IsStreamingClient():
		return nil, fmt.Errorf("method %s expects a stream of messages; want a method that expects a single one",
			method)
	}
	return &Method{"/" + name + "/" + method, of}, nil
}

func (m *Method) Streams() bool { return m.of.IsStreamingServer() }

// Encode encodes JSON. Empty text means an empty message.
func (m *Method) Encode(text []byte) ([]byte, error) {
	message := dynamicpb.NewMessage(m.of.Input())
	if len(strings.TrimSpace(string(text))) > 0 {
		if err := protojson.Unmarshal(text, message); err != nil {
			return nil, fmt.Errorf("no JSON of a %s: %s", m.of.Input().FullName(),
				// protobuf randomly adds a second space
				strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "proto:")), " "))
		}
	}
	return proto.Marshal(message)
}

func (m *Method) Decode(wire []byte) ([]byte, error) {
	message := dynamicpb.NewMessage(m.of.Output())
	if err := proto.Unmarshal(wire, message); err != nil {
		return nil, err
	}
	return protojson.Marshal(message)
}

// FromSet reads the output of protoc --descriptor_set_out --include_imports.
func FromSet(set []byte) (Source, error) {
	var files descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(set, &files); err != nil {
		return nil, errors.New("this is no set of descriptors")
	}
	known, err := protodesc.NewFiles(&files)
	if err != nil {
		return nil, err
	}
	return func(service string) (protoreflect.Descriptor, error) {
		d, err := known.FindDescriptorByName(protoreflect.FullName(service))
		if err == nil {
			return d, nil
		}
		var names []string
		known.RangeFiles(func(f protoreflect.FileDescriptor) bool {
			for i := range f.Services().Len() {
				names = append(names, string(f.Services().Get(i).FullName()))
			}
			return true
		})
		return nil, unknown(service, names)
	}, nil
}

func unknown(service string, names []string) error {
	return fmt.Errorf("there is no service %s (known: %s)", service, strings.Join(names, ", "))
}
