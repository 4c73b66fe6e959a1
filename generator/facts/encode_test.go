package facts

import (
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/shape"
)

// librarys is a value as the library writes it, spread.
func librarys(t interface{ Fatal(...any) }, v any) []byte {
	var e encoding
	if e.library(v); e.err != nil {
		t.Fatal(e.err)
	}
	return append(e.b, '\n')
}

func sameJSON(t interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}, name string, v any) {
	t.Helper()
	got, err := JSON(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := librarys(t, v); !bytes.Equal(got, want) {
		t.Errorf("%s: not what the library writes (-library +JSON):\n%s", name, cmp.Diff(string(want), string(got)))
	}
}

// What is written here is what the library writes, for every template and for
// the diff of each with the one before.
func TestEncodeLikeLibrary(t *testing.T) {
	names, err := filepath.Glob("../../templates/*/model.json")
	if err != nil || len(names) == 0 {
		t.Fatal("no templates", err)
	}
	var before diff.Subject
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 200_000 {
			continue // as the others, and slow
		}
		r, err := pipeline.Run(name, src)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := cost.New(r.Model, cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		m := Of(r, plan, 0)
		sameJSON(t, name, m)
		sameJSON(t, name, Checked(r))
		subject := diff.Subject{ID: m.ID, Name: m.Name, Plan: plan}
		if before.Plan != nil {
			sameJSON(t, name, Compared(diff.Compare(before, subject)))
		}
		before = subject
	}
}

// every has a field of every kind.
type every struct {
	embedded
	Text   string `json:"text"`
	Word   word   `json:"word"`
	Yes    bool   `json:"yes"`
	Small  int    `json:"small"`
	Large  int64  `json:"large"`
	Number float64
	Big    *big.Int         `json:"big"`
	Rat    *big.Rat         `json:"rat"`
	Shape  shape.Shape      `json:"shape"`
	Shapes []shape.Shape    `json:"shapes"`
	Params Params           `json:"params"`
	Map    map[string][]int `json:"map"`
	Left   *embedded        `json:"left,omitzero"`
	Within []every          `json:"within"`
	Any    any              `json:"any"`
	Tags   []string         `json:"tags"`
	Empty  struct{}         `json:"empty"`
	Hidden func()           `json:"-"`
	Short  omitted          `json:"short"`
}

type word string

type omitted struct {
	Text string `json:"text,omitempty"`
}

type embedded struct {
	Pointer *int64  `json:"pointer"`
	Name    *string `json:"näme"`
}

// sometimes draws a pointer, nil now and then.
func sometimes[V any](t *rapid.T, what *rapid.Generator[V]) *V {
	if rapid.Bool().Draw(t, "nil") {
		return nil
	}
	v := what.Draw(t, "value")
	return &v
}

func drawEvery(t *rapid.T, depth int) every {
	integer := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-9, 9), rapid.Int64Range(1<<53-2, 1<<53+2))
	shapes := rapid.Map(rapid.SliceOfN(integer, 0, 4), func(s []int64) shape.Shape { return s })
	value := rapid.SampledFrom([]Value{`null`, `true`, `1`, `-1.5e+3`, `"gelu"`, `"a \"b\""`, `"ä, b"`, `""`, `[1,2]`, `[]`, `[[1],"a"]`, `{}`, `{"a":[1,{"b":null}]}`, `"\u0041"`, `["a,b"]`})
	x := every{
		embedded: embedded{sometimes(t, integer), sometimes(t, rapid.String())},
		Text:     rapid.String().Draw(t, "text"), Word: word(rapid.String().Draw(t, "word")),
		Yes: rapid.Bool().Draw(t, "yes"), Small: rapid.Int().Draw(t, "small"), Large: integer.Draw(t, "large"),
		Number: rapid.Float64Range(-1e30, 1e30).Draw(t, "number"), Shape: shapes.Draw(t, "shape"),
		Shapes: rapid.SliceOfN(shapes, 0, 3).Draw(t, "shapes"), Tags: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "tags"),
		Map: map[string][]int{}, Left: sometimes(t, rapid.Just(embedded{})), Any: integer.Draw(t, "any"),
		Short: omitted{rapid.SampledFrom([]string{"", "x"}).Draw(t, "short")},
	}
	if n := sometimes(t, integer); n != nil {
		x.Big = new(big.Int).Mul(big.NewInt(*n), big.NewInt(*n))
		x.Rat = big.NewRat(*n, 7)
	} else {
		x.Rat = big.NewRat(7, 1)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "params") {
		x.Params = append(x.Params, Param{string(rune('a'+i)) + rapid.String().Draw(t, "name"), value.Draw(t, "value")})
	}
	for _, key := range rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "keys") {
		x.Map[key] = []int{1, len(key)}
	}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "within") {
			x.Within = append(x.Within, drawEvery(t, depth-1))
		}
	}
	return x
}

func TestEncodeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawEvery(t, 2)
		sameJSON(t, "a pointer", &x)
		sameJSON(t, "a value", x)
		sameJSON(t, "a list", []every{x})
	})
}

func TestEncodeRefuses(t *testing.T) {
	for _, v := range []any{&Totals{Name: "\xff"}, &Row{Params: Params{{"\xff", "1"}}}, &Row{Params: Params{{"a", "[1"}}}, &Finding{Patch: []Op{{Value: "{"}}}} {
		if got, err := JSON(v); err == nil {
			t.Errorf("%#v became %s", v, got)
		}
	}
}
