package cost

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/strata-catalog/strata/generator/words"
)

// maxWhole is the magnitude up to which a floating-point number holds every
// whole number.
const maxWhole = 1 << 53

// Set gives the assumption of a key, as in settings, the value that a text
// says. Whole numbers may have an exponent: 15e12. The error says what was
// expected; the assumptions are as they were then.
func (a *Assumptions) Set(key, text string) error {
	v := reflect.ValueOf(a).Elem()
	keys := make([]string, v.NumField())
	for i := range keys {
		f := v.Type().Field(i)
		if keys[i] = f.Tag.Get("yaml"); keys[i] != key {
			continue
		}
		to := reflect.New(f.Type).Elem()
		if err := parse(to, text); err != nil {
			return err
		}
		if err := inRange(f, to); err != nil {
			return err
		}
		if err := declared(f, to); err != nil {
			return err
		}
		v.Field(i).Set(to)
		return nil
	}
	return fmt.Errorf("%q is no assumption%s", key, words.DidYouMean(key, keys))
}

// parse reads a value of the kind that the field has.
func parse(to reflect.Value, text string) error {
	switch to.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		to.SetBool(b)
	case reflect.Int64:
		n, ok := whole(text)
		if !ok {
			return fmt.Errorf("%q is no whole number of at most 2^53", text)
		}
		to.SetInt(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", text)
		}
		to.SetFloat(x)
	default:
		to.SetString(text)
	}
	return nil
}

// whole reads a whole number, with an exponent or without one.
func whole(text string) (n int64, ok bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, -maxWhole <= n && n <= maxWhole
	}
	x, err := strconv.ParseFloat(text, 64)
	return int64(x), err == nil && math.Abs(x) <= maxWhole && x == math.Trunc(x)
}
