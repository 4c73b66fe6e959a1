package facts

import (
	"math/big"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"
)

// JSON writes a value as it is published. An integer is a number up to 2^53,
// which every reader keeps exactly, and a string of digits beyond; an integer
// or a shape that is not known is null. Members and elements of the outer two
// levels have a line each.
func JSON(v any) ([]byte, error) { return AppendJSON(nil, v) }

// AppendJSON appends what JSON returns.
func AppendJSON(b []byte, v any) ([]byte, error) {
	e := encoding{b: b}
	writerOf(reflect.TypeOf(v))(&e, reflect.ValueOf(v))
	if e.err != nil {
		return nil, e.err
	}
	return append(e.b, '\n'), nil
}

// JSONLine is JSON on one line, for streams of values.
func JSONLine(v any) ([]byte, error) {
	b, err := json.Marshal(v, options)
	return append(b, '\n'), err
}

var options = json.JoinOptions(
	json.Deterministic(true),
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(writeInt),
		json.MarshalToFunc(writeBig),
		json.MarshalToFunc(writeRat),
		json.MarshalToFunc(writeShape),
	)),
)

func writeInt(enc *jsontext.Encoder, n int64) error {
	if n > graph.MaxNumber || n < -graph.MaxNumber {
		return enc.WriteToken(jsontext.String(strconv.FormatInt(n, 10)))
	}
	return enc.WriteToken(jsontext.Int(n))
}

func writeBig(enc *jsontext.Encoder, n *big.Int) error {
	switch {
	case n == nil:
		return enc.WriteToken(jsontext.Null)
	case n.IsInt64():
		return writeInt(enc, n.Int64())
	}
	return enc.WriteToken(jsontext.String(n.String()))
}

// writeRat writes a fraction exactly: whole ones as integers, others as "n/d".
func writeRat(enc *jsontext.Encoder, r *big.Rat) error {
	if r.IsInt() {
		return writeBig(enc, r.Num())
	}
	return enc.WriteToken(jsontext.String(r.String()))
}

func writeShape(enc *jsontext.Encoder, s shape.Shape) error {
	if s == nil {
		return enc.WriteToken(jsontext.Null)
	}
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, d := range s {
		if err := writeInt(enc, d); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}
