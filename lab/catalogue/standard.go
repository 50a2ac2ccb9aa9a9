package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"bytes"
	"container/list"
	"context"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509/pkix"
	"database/sql"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/lab/specimen"
)

type (
	Versioned struct {
		mu sync.Mutex
		N  int
	}
	Counter struct{ N atomic.Int64 }
	Links   struct{ Self url.URL }
	Hosts   map[netip.Addr]string
	Nets    []netip.Prefix
	Webhook struct{ Body json.RawMessage }
	Price   struct{ N json.Number }
	Nulls   struct {
		S sql.NullString
		I sql.NullInt64
		B sql.NullBool
		F sql.NullFloat64
		T sql.NullTime
		G sql.Null[Amount]
		Y sql.NullByte
	}
	NullAny   struct{ V sql.Null[any] }
	Headers   struct{ H http.Header }
	TimeKeys  map[time.Time]int
	BigKeys   map[*big.Int]int
	BigMap    map[string]big.Int
	BigMapPtr map[string]*big.Int
	Cookies   []*http.Cookie
)

func init() {
	specimen.Maker(*big.NewInt(0), *big.NewInt(-7), *huge)
	specimen.Maker(*wide, *big.NewFloat(-0.5))
	file, err := os.Stat(".")
	if err != nil {
		panic(err)
	}
	specimen.Hold(context.Background(), file)
}

var (
	_, subnet, _ = net.ParseCIDR("10.0.0.0/8")
	link, _      = url.Parse("https://u:p@example.com/a?b=c#d")
	wide, _, _   = big.ParseFloat("0.1", 10, 200, big.ToNearestEven)
	huge, _      = new(big.Int).SetString("123456789012345678901234567890", 10)
)

var standardTypes = []specimen.Specimen{
	specimen.Of[time.Time](), specimen.Of[time.Duration](), specimen.Of[time.Month](), specimen.Of[*time.Location](), specimen.Of[TimeKeys](),
	specimen.Trusted(json.RawMessage(`{"a": 1}`), nil), specimen.Trusted(Webhook{json.RawMessage("[1,  2]")}), specimen.Trusted(json.Number("1.50")), specimen.Trusted(Price{"1e3"}),
	specimen.Trusted(*huge, *big.NewInt(-1)), specimen.Trusted(huge), specimen.Trusted(*big.NewRat(1, 3)), specimen.Trusted(*wide), specimen.Trusted(*big.NewFloat(0.5), *wide),
	specimen.Trusted(BigMap{"a": *huge}), specimen.Trusted(BigMapPtr{"a": huge, "b": nil}), specimen.Trusted(BigKeys{huge: 1}),
	specimen.Trusted(netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1%eth0")), specimen.Trusted(netip.MustParsePrefix("10.0.0.0/8")),
	specimen.Trusted(netip.MustParseAddrPort("[::1]:80")), specimen.Trusted(Hosts{netip.MustParseAddr("::1"): "x"}), specimen.Trusted(Nets{netip.MustParsePrefix("::/0")}),
	specimen.Trusted(net.ParseIP("10.0.0.1").To4(), net.ParseIP("::1")), specimen.Trusted(*subnet), specimen.Trusted(net.HardwareAddr{1, 2, 3, 4, 5, 6}),
	specimen.Trusted(net.TCPAddr{IP: net.ParseIP("10.0.0.1").To4(), Port: 80}),
	specimen.Trusted(*link), specimen.Trusted(link), specimen.Trusted(Links{*link}), specimen.Trusted(url.Values{"a": {"b", ""}}), specimen.Of[url.Values](),
	specimen.Of[sql.NullString](), specimen.Of[sql.NullInt64](), specimen.Of[sql.NullTime](), specimen.Of[sql.Null[Amount]](), specimen.Of[Nulls](), specimen.Of[NullAny](), specimen.Of[sql.RawBytes](),
	specimen.Of[http.Header](), specimen.Of[Headers](), specimen.Of[http.Cookie](), specimen.Of[Cookies](), specimen.Of[http.Request](), specimen.Of[mail.Address](), specimen.Of[[]*mail.Address](),
	specimen.Of[slog.Level](), specimen.Trusted(slog.Int("a", 1)), specimen.Of[template.HTML](), specimen.Of[fs.FileMode](), specimen.Of[os.FileInfo](), specimen.Of[io.Reader](),
	specimen.Trusted(*bytes.NewBufferString("x")), specimen.Trusted(func() *strings.Reader { return strings.NewReader("x") }()), specimen.Trusted(func() list.List { var l list.List; l.PushBack(1); return l }()),
	specimen.Of[Versioned](), specimen.Of[Counter](), specimen.Of[ed25519.PublicKey](), specimen.Of[rsa.PublicKey](), specimen.Of[pkix.Name](), specimen.Of[context.Context](),
	specimen.Trusted(regexp.MustCompile("a+b")), specimen.Of[*url.Error](), specimen.Trusted(errors.New("x")),
}
