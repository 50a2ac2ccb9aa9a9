module example.com/proto

go 1.26

require google.golang.org/protobuf v1.36.0

replace google.golang.org/protobuf => ./protobuf
