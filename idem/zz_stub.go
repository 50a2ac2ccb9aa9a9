package idem

import ("encoding/json"; "reflect")

type JSON[T any] struct{}

func (JSON[T]) Name() string { return "json" }
func (JSON[T]) Encode(_ Ref, v T) ([]byte, error) { return json.Marshal(v) }
func (JSON[T]) Decode(_ Ref, b []byte) (v T, err error) { err = json.Unmarshal(b, &v); return }
func schemaHash(reflect.Type) []byte { return []byte{} }
func CheckResult[T any](string) {}
