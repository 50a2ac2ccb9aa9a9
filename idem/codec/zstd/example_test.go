package zstd_test

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec/zstd"
)

func ExampleCompress() {
	c := zstd.Compress(idem.JSON[[]string]{})
	report := strings.Split(strings.Repeat("a line of a report,", 1000), ",")
	data, err := c.Encode(idem.Ref{Operation: "shop.Report", Key: "2024-02"}, report)
	fmt.Println(c.Name(), len(data) < 1000, err)
	// Output: zstd+json true <nil>
}
