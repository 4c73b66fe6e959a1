package ops_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
)

// FuzzRun asks operations with any parameters: they answer with what can be
// written, or say what is wrong with the parameters.
func FuzzRun(f *testing.F) {
	for i, o := range ops.All {
		f.Add(uint8(i), strings.ReplaceAll(calls[o.Name], `"gpt2"`, `"small"`))
	}
	for _, params := range []string{``, `[]`, `{"model": 7}`, `{"a": {}, "b": []}`, `{"policy": {"max_params": "1"}}`, `{"assumptions": {"batch": 0}}`, tiny[:100]} {
		f.Add(uint8(2), params)
		f.Add(uint8(3), params)
		f.Add(uint8(4), params)
	}
	f.Fuzz(func(t *testing.T, which uint8, params string) {
		o := ops.All[int(which)%len(ops.All)]
		v, err := o.Run(context.Background(), &ops.Env{Components: 200}, []byte(params))
		var own *ops.Error
		switch {
		case err == nil:
			if _, err := facts.JSON(v); err != nil {
				t.Errorf("%s of %q cannot be written: %v", o.Name, params, err)
			}
		case !errors.As(err, &own) || own.Error() == "":
			t.Errorf("%s of %q fails with %v", o.Name, params, err)
		}
	})
}
