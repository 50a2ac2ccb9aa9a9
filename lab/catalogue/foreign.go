package catalogue

import (
	"math/big"
	"time"

	"github.com/Rhymond/go-money"
	"github.com/cockroachdb/apd/v3"
	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"gopkg.in/guregu/null.v4"

	"github.com/idemgen/idemgen/lab/specimen"
)

func init() {
	specimen.Equal(func(a, b *timestamppb.Timestamp) bool { return proto.Equal(a, b) })
	specimen.Equal(func(a, b *durationpb.Duration) bool { return proto.Equal(a, b) })
	specimen.Equal(func(a, b *wrapperspb.StringValue) bool { return proto.Equal(a, b) })
	specimen.Equal(func(a, b *decimal.Decimal) bool { return a.Equal(*b) })
	specimen.Equal(func(a, b *apd.Decimal) bool { return a.String() == b.String() })
	specimen.Equal(func(a, b *money.Money) bool {
		if a.Currency() == nil || b.Currency() == nil {
			return a.Currency() == b.Currency()
		}
		same, err := a.Equals(b)
		return err == nil && same
	})
}

type (
	Order struct {
		ID    uuid.UUID
		Maybe *uuid.UUID
		Price decimal.Decimal
		By    map[uuid.UUID]decimal.Decimal
	}
	Row struct {
		ID   pgtype.UUID
		Name pgtype.Text
		At   pgtype.Timestamptz
		N    pgtype.Int8
		Sum  pgtype.Numeric
	}
	Reply struct{ At *timestamppb.Timestamp }
)

var (
	id      = uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
	other   = gofrs.Must(gofrs.FromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
	price   = decimal.RequireFromString("-12345678901234567890.0500")
	exact   = func() apd.Decimal { d, _, _ := apd.NewFromString("1.500"); return *d }()
	day     = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	moment  = day.Add(13*time.Hour + 123456*time.Microsecond)
	numeric = pgtype.Numeric{Int: big.NewInt(12345), Exp: -2, Valid: true}
)

// newer is m from a program that knows a field more.
func newer[M proto.Message](m M) M {
	m.ProtoReflect().SetUnknown(protoreflect.RawFields{0x98, 0x06, 1}) // field 99 is 1
	return m
}

var foreignTypes = []specimen.Specimen{
	specimen.Trusted(id), specimen.Trusted(&id), specimen.Trusted(uuid.NullUUID{UUID: id, Valid: true}), specimen.Trusted(map[uuid.UUID]int{id: 1}), specimen.Trusted([]uuid.UUID{id}),
	specimen.Trusted(other), specimen.Trusted(gofrs.NullUUID{UUID: other, Valid: true}), specimen.Trusted(price), specimen.Trusted(&price), specimen.Trusted(decimal.NewNullDecimal(price)),
	specimen.Trusted(Order{ID: id, Maybe: &id, Price: price, By: map[uuid.UUID]decimal.Decimal{id: price}}), specimen.Trusted(map[string]decimal.Decimal{"a": price}),
	specimen.Trusted(exact), specimen.Trusted(&exact), specimen.Trusted(map[string]apd.Decimal{"a": exact}), specimen.Trusted(apd.NullDecimal{Decimal: exact, Valid: true}),
	specimen.Trusted(ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")), specimen.Trusted(xid.ID{1, 2, 3}), specimen.Trusted(*money.New(1050, "EUR")), specimen.Trusted(money.New(1, "USD")),
	specimen.Trusted(null.StringFrom("x")), specimen.Trusted(null.IntFrom(7)), specimen.Trusted(null.FloatFrom(1.5)), specimen.Trusted(null.TimeFrom(moment)), specimen.Trusted(null.BoolFrom(true)),
	specimen.Trusted(pgtype.Text{String: "x", Valid: true}), specimen.Trusted(pgtype.Int2{Int16: 1, Valid: true}), specimen.Trusted(pgtype.Int4{Int32: 1, Valid: true}), specimen.Trusted(pgtype.Int8{Int64: 1, Valid: true}),
	specimen.Trusted(pgtype.Bool{Bool: true, Valid: true}), specimen.Trusted(pgtype.Float4{Float32: 1.5, Valid: true}), specimen.Trusted(pgtype.Float8{Float64: 1.5, Valid: true}),
	specimen.Trusted(pgtype.UUID{Bytes: id, Valid: true}), specimen.Trusted(numeric), specimen.Trusted(pgtype.Numeric{NaN: true, Valid: true}),
	specimen.Trusted(pgtype.Date{Time: day, Valid: true}), specimen.Trusted(pgtype.Date{InfinityModifier: pgtype.Infinity, Valid: true}),
	specimen.Trusted(pgtype.Timestamp{Time: moment, Valid: true}), specimen.Trusted(pgtype.Timestamptz{Time: moment, Valid: true}), specimen.Trusted(pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}),
	specimen.Trusted(pgtype.Time{Microseconds: 1, Valid: true}), specimen.Trusted(pgtype.Interval{Microseconds: 1, Days: 2, Months: 3, Valid: true}),
	specimen.Trusted(pgtype.Point{P: pgtype.Vec2{X: 1, Y: 2}, Valid: true}), specimen.Trusted(pgtype.Range[pgtype.Int4]{Lower: pgtype.Int4{Int32: 1, Valid: true}, LowerType: pgtype.Inclusive, UpperType: pgtype.Unbounded, Valid: true}),
	specimen.Trusted(pgtype.Array[int]{Elements: []int{1}, Dims: []pgtype.ArrayDimension{{Length: 1, LowerBound: 1}}, Valid: true}), specimen.Trusted(pgtype.FlatArray[string]{"a"}), specimen.Trusted(pgtype.Hstore{"a": new("b"), "c": nil}), specimen.Trusted(pgtype.Bits{Bytes: []byte{1}, Len: 8, Valid: true}),
	specimen.Trusted(Row{ID: pgtype.UUID{Bytes: id, Valid: true}, Name: pgtype.Text{String: "x", Valid: true}, At: pgtype.Timestamptz{Time: moment, Valid: true}, Sum: numeric}),
	specimen.Trusted(newer(timestamppb.New(moment))), specimen.Trusted(newer(durationpb.New(time.Second))), specimen.Trusted(newer(wrapperspb.String("x"))), specimen.Trusted(structpb.NewStringValue("x")), specimen.Trusted(Reply{newer(timestamppb.New(moment))}),
}
