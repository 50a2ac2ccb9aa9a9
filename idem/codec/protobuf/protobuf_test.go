package protobuf_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/codec/protobuf"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about messages as results: all of a message comes back, also what its type does not know.

var ref = idem.Ref{Operation: "shop.Charge", Key: "k"}

// comesBack stores messages, and ones made of random bytes, which bring unknown fields along.
func comesBack[T proto.Message](t *testing.T, messages ...T) {
	t.Helper()
	c := protobuf.Codec[T]{}
	if c.Check() != nil || c.Name() != "proto" {
		t.Errorf("%T: %v, %s", *new(T), c.Check(), c.Name())
	}
	var none T
	empty := none.ProtoReflect().New().Interface().(T)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := none.ProtoReflect().New().Interface().(T)
		if proto.Unmarshal(wire(r, m.ProtoReflect().Descriptor(), 3), m) == nil {
			messages = append(messages, m)
		}
	}
	for _, m := range append(messages, empty) {
		data, err := c.Encode(ref, m)
		if err != nil {
			continue // text that is not UTF-8
		}
		again, _ := c.Encode(ref, m)
		back, err := c.Decode(ref, data)
		if err != nil || !proto.Equal(back, m) || !back.ProtoReflect().IsValid() || !bytes.Equal(data, again) {
			t.Errorf("%T: %v came back as %v, %v", m, m, back, err)
		}
		if u := back.ProtoReflect().GetUnknown(); len(u) != len(m.ProtoReflect().GetUnknown()) {
			t.Errorf("%T: unknown %x came back as %x", m, m.ProtoReflect().GetUnknown(), u)
		}
	}
	data, err := c.Encode(ref, none)
	if err != nil || !bytes.Equal(data, []byte{0}) {
		t.Errorf("%T: none is %x, %v", none, data, err)
	}
	if back, err := c.Decode(ref, data); err != nil || back.ProtoReflect().IsValid() {
		t.Errorf("%T: none came back as %v, %v", none, back, err)
	}
}

// wire is random fields, as far as may be those of the message.
func wire(r *rand.Rand, d protoreflect.MessageDescriptor, depth int) (b []byte) {
	for range r.IntN(6) {
		if n := d.Fields().Len(); n == 0 || r.IntN(5) == 0 || depth == 0 {
			b = protowire.AppendTag(b, protowire.Number(1000+r.IntN(9)), protowire.BytesType)
			b = protowire.AppendString(b, "newer")
			continue
		}
		f := d.Fields().Get(r.IntN(d.Fields().Len()))
		switch f.Kind() {
		case protoreflect.StringKind, protoreflect.BytesKind:
			b = protowire.AppendTag(b, f.Number(), protowire.BytesType)
			b = protowire.AppendString(b, strings.Repeat("ü", r.IntN(4)))
		case protoreflect.MessageKind:
			b = protowire.AppendTag(b, f.Number(), protowire.BytesType)
			b = protowire.AppendBytes(b, wire(r, f.Message(), depth-1))
		case protoreflect.DoubleKind:
			b = protowire.AppendTag(b, f.Number(), protowire.Fixed64Type)
			b = protowire.AppendFixed64(b, r.Uint64())
		case protoreflect.FloatKind:
			b = protowire.AppendTag(b, f.Number(), protowire.Fixed32Type)
			b = protowire.AppendFixed32(b, r.Uint32()>>2)
		default:
			b = protowire.AppendTag(b, f.Number(), protowire.VarintType)
			b = protowire.AppendVarint(b, uint64(r.IntN(3)))
		}
	}
	return b
}

func TestProto_AllOfAMessageComesBack(t *testing.T) {
	t.Parallel()
	comesBack(t, &emptypb.Empty{})
	comesBack(t, structpb.NewNullValue(), structpb.NewNumberValue(0), structpb.NewStringValue(""))
	comesBack(t, &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewBoolValue(true), "": structpb.NewListValue(nil)}})
	comesBack(t, durationpb.New(-1))
	comesBack(t, timestamppb.Now())
	comesBack(t, &anypb.Any{TypeUrl: "example.com/unknown", Value: []byte{1}})
	comesBack(t, wrapperspb.String(""))
	comesBack(t, wrapperspb.Bytes(nil))
	comesBack(t, &fieldmaskpb.FieldMask{Paths: []string{"a", ""}})
	comesBack[*typepb.Type](t)
	comesBack[*apipb.Api](t)
	comesBack[*descriptorpb.FileDescriptorProto](t)
	// presence: set to its default, and not set; a required field that is missing; an extension that nobody knows
	comesBack(t, &descriptorpb.FieldOptions{Packed: proto.Bool(false)}, &descriptorpb.FieldOptions{})
	comesBack(t, &descriptorpb.UninterpretedOption_NamePart{})
}

func TestProto_NoMessageIsNotAnEmptyOne(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*wrapperspb.Int64Value{"none": nil, "empty": {}} {
		out, replay := twice(t, m)
		if (out == nil) != (m == nil) || (replay == nil) != (m == nil) {
			t.Errorf("%s: %v, then %v", name, out, replay)
		}
	}
}

// twice calls an operation and replays it.
func twice[T proto.Message](t *testing.T, m T) (first, replay T) {
	t.Helper()
	e, err := idem.New(idemtest.NewStore())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	op := idem.Operation[T]{Name: ref.Operation, Codec: protobuf.Codec[T]{}}
	call := idem.Call[T]{Key: idem.StringKey("k"), Run: func(context.Context) (T, error) { return m, nil }}
	if first, err = idem.Do(t.Context(), e, &op, call); err != nil {
		t.Fatal(err)
	}
	if replay, err = idem.Do(t.Context(), e, &op, call); err != nil {
		t.Fatal(err)
	}
	return first, replay
}

// A newer server stores a field that this program's type does not have; a replay by an older one gives it on.
func TestProto_FieldsOfANewerProgramSurviveAnOlderOne(t *testing.T) {
	t.Parallel()
	newer := protowire.AppendTag(nil, 777, protowire.BytesType)
	newer = protowire.AppendString(newer, "from the future")
	m := wrapperspb.String("charge")
	m.ProtoReflect().SetUnknown(newer)
	_, replay := twice(t, m)
	data, err := proto.Marshal(replay)
	if err != nil || !bytes.HasSuffix(data, newer) {
		t.Errorf("%x, %v", data, err)
	}
}

func TestProto_WhatItCannotMakeIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	c := protobuf.Codec[proto.Message]{}
	if c.Check() == nil {
		t.Error("an interface is taken")
	}
	if _, err := c.Encode(ref, wrapperspb.String("x")); err == nil {
		t.Error("an interface is encoded")
	}
	if _, err := c.Decode(ref, []byte{1}); err == nil {
		t.Error("an interface is decoded")
	}
}

func TestProto_WhatProtobufDoesNotWriteIsATombstone(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	e, err := idem.New(store)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	op := idem.Operation[*wrapperspb.StringValue]{Name: ref.Operation, Codec: protobuf.Codec[*wrapperspb.StringValue]{}}
	call := idem.Call[*wrapperspb.StringValue]{Key: idem.StringKey("k"), Run: func(context.Context) (*wrapperspb.StringValue, error) {
		return wrapperspb.String("\xff"), nil
	}}
	if out, err := idem.Do(t.Context(), e, &op, call); err != nil || out.Value != "\xff" {
		t.Errorf("the winner gets %v, %v", out, err)
	}
	if out, err := idem.Do(t.Context(), e, &op, call); !errors.Is(err, idem.ErrResultNotStored) {
		t.Errorf("a later caller gets %v, %v", out, err)
	}
	if r := store.Row(idem.RowID(ref)); r.State != idem.StateDone || r.Codec != "none" {
		t.Errorf("the row is %+v", r)
	}
}

// The bytes are stored data.
func TestProto_StoredBytesStayReadable(t *testing.T) {
	t.Parallel()
	c := protobuf.Codec[*structpb.Value]{}
	for text, want := range map[string]*structpb.Value{
		"00": nil, "01": {}, "011a0568656c6c6f": structpb.NewStringValue("hello"), "01110000000000000000": structpb.NewNumberValue(0),
	} {
		data, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Decode(ref, data)
		if err != nil || !proto.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if written, err := c.Encode(ref, want); err != nil || !bytes.Equal(written, data) {
			t.Errorf("%v is written as %x, %v", want, written, err)
		}
	}
	for _, text := range []string{"", "02", "0000", "011a05"} {
		data, _ := hex.DecodeString(text)
		if got, err := c.Decode(ref, data); err == nil || got != nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestProto_WithinEncryptionAndManyAtOnce(t *testing.T) {
	t.Parallel()
	k, err := codec.NewKeyring("a", map[string][]byte{"a": []byte("0123456789abcdef0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	c := codec.Encrypt(k, protobuf.Codec[*structpb.Struct]{})
	want := &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStringValue("x"), "b": structpb.NewNumberValue(1)}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			data, err := c.Encode(ref, want)
			if got, failed := c.Decode(ref, data); err != nil || failed != nil || !proto.Equal(got, want) {
				t.Errorf("%v, %v, %v", got, err, failed)
			}
		})
	}
	wg.Wait()
	if c.Name() != "aesgcm+proto" {
		t.Error(c.Name())
	}
}

func FuzzProto(f *testing.F) {
	f.Add([]byte{1, 0x1a, 5, 'h', 'e', 'l', 'l', 'o'})
	f.Add(append([]byte{1}, bytes.Repeat([]byte{0x2a, 0x7f}, 60)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := protobuf.Codec[*structpb.Value]{}
		m, err := c.Decode(ref, data)
		if err != nil {
			return
		}
		again, err := c.Encode(ref, m)
		if err != nil {
			t.Fatalf("%x was read and is not written: %v", data, err)
		}
		if back, err := c.Decode(ref, again); err != nil || !proto.Equal(back, m) {
			t.Errorf("%x: %v, %v", data, back, err)
		}
		_, _ = protobuf.Codec[*descriptorpb.FileDescriptorProto]{}.Decode(ref, data)
	})
}
