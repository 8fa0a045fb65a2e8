package rpc

// Proto is the definition of the service for protoc.
const Proto = `// What poolbench serve answers over gRPC.
syntax = "proto3";

package poolbench.v1;

service Target {
  // Call is one call of the target.
  rpc Call(Request) returns (Answer);
  // Stream is one call of the target, with several answers.
  rpc Stream(Request) returns (stream Answer);
}

message Request {
  string text = 1;
  uint32 answers = 2; // of Stream: 1 where none are asked for, at most 1000
}

message Answer {
  uint32 number = 1; // from 0
  string text = 2;   // of the request
}
`
