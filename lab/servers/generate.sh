#!/usr/bin/env bash
# Makes the Go of pay.proto and pay.yaml, with the generators that people use. Needs protoc; the plug-ins come from the module proxy.
set -euo pipefail
cd "$(dirname "$0")"
GOBIN=$(mktemp -d)
trap 'rm -rf "$GOBIN"' EXIT
export GOBIN PATH="$GOBIN:$PATH"
go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
go install connectrpc.com/connect/cmd/protoc-gen-connect-go@v1.21.1
go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
protoc -I paypb --go_out=paypb --go_opt=paths=source_relative --go-grpc_out=paypb --go-grpc_opt=paths=source_relative \
	--connect-go_out=paypb --connect-go_opt=paths=source_relative pay.proto
(cd payrest && oapi-codegen -config config.yaml pay.yaml)
