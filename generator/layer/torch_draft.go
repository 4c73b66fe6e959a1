package layer

import (
	"fmt"
	"slices"
	"strings"
)

// A draft is a helper class in the making: a constructor with arguments, and
// modules under the names that the checkpoint gives them.
type draft struct {
	helper
	signature []string // arguments of the constructor
	values    []string // what this use gives for them
	slots     []slot
	pieces    []*piece
	needs     []Class
	// attributes are what forward finds at self, beside the slots.
	attributes []string
}

// A piece is a module of a draft, or tensors that stand without one.
type piece struct {
	slots []int    // the module; or the weight, and the bias if there is one
	at    []string // how forward reaches them
	apply string   // over $x, $0 and $1, the slots
}

// of applies the piece to an expression.
func (p *piece) of(x string) string {
	expr := strings.ReplaceAll(p.apply, "$x", x)
	for i, at := range p.at {
		expr = strings.ReplaceAll(expr, "$"+string(rune('0'+i)), at)
	}
	return expr
}

// operand is of, so that an attribute or an operator may follow.
func (p *piece) operand(x string) string {
	if strings.Contains(p.apply, " @ ") {
		return "(" + p.of(x) + ")"
	}
	return p.of(x)
}

// arg declares an argument of the constructor.
func (d *draft) arg(name, kind, value string) {
	d.signature = append(d.signature, name+": "+kind)
	if len(d.values) > 0 {
		value = name + "=" + value
	}
	d.values = append(d.values, value)
}

// keep is an argument that forward needs.
func (d *draft) keep(name, kind, value string) {
	d.arg(name, kind, value)
	d.set(name, name)
}

// set stores a value for forward.
func (d *draft) set(name, expr string) {
	d.init = append(d.init, "self."+name+" = "+expr)
	d.attributes = append(d.attributes, name)
}

// need is a class that the text uses under $ and its name.
func (d *draft) need(c Class) {
	for _, have := range d.needs {
		if have.Name == c.Name {
			return
		}
	}
	d.needs = append(d.needs, c)
}

// module is a piece whose tensors stand below one path, as in the checkpoint.
func (d *draft) module(path, expr string) *piece {
	return d.add(&piece{apply: "$0($x)"}, slot{path: path, expr: expr})
}

// free is a tensor of its own.
func (d *draft) free(path, expr string) *piece {
	return d.add(&piece{apply: "$0"}, slot{path: path, expr: "nn.Parameter(" + expr + ")", parameter: true})
}

func (d *draft) add(p *piece, slots ...slot) *piece {
	for _, s := range slots {
		p.slots = append(p.slots, len(d.slots))
		d.slots = append(d.slots, s)
	}
	d.pieces = append(d.pieces, p)
	return p
}

// moduleOf is the path of the module that two tensors of a role stand in, by
// the names of PyTorch's own modules; ok is false where they have others.
func moduleOf(s Stored, role string, bias bool) (path string, ok bool) {
	path, ok = strings.CutSuffix(s.tensor(role, "weight").Name, ".weight")
	if bias {
		ok = ok && s.tensor(role, "bias").Name == path+".bias"
	}
	return path, ok
}

// linear is the projection of a role: nn.Linear, Conv1D where it is stored
// [in, out], or the matrix and its bias under names of their own.
func (d *draft) linear(s Stored, role, out, in string, bias bool) *piece {
	path, ok := moduleOf(s, role, bias)
	switch {
	case ok && s.Transposed:
		c := conv1D(bias)
		if !bias {
			c.Name = "Conv1DWithoutBias"
		}
		d.need(c)
		return d.module(path, pyCall("$"+c.Name, in, out))
	case ok:
		return d.module(path, pyCall("nn.Linear", in, out, option("bias", bias, true)))
	}
	return d.matrix(s, role, out, in, bias)
}

// matrix is a projection whose tensors stand without a module.
func (d *draft) matrix(s Stored, role, out, in string, bias bool) *piece {
	p, size := &piece{apply: "F.linear($x, $0)"}, out+", "+in
	if bias {
		p.apply = "F.linear($x, $0, $1)"
	}
	if s.Transposed {
		p.apply, size = "$x @ $0", in+", "+out
		if bias {
			p.apply += " + $1"
		}
	}
	list := []slot{{path: s.tensor(role, "weight").Name, expr: "nn.Parameter(torch.randn(" + size + ") * 0.02)", parameter: true}}
	if bias {
		list = append(list, constant(s, role, out))
	}
	return d.add(p, list...)
}

// constant is the bias of a role.
func constant(s Stored, role, size string) slot {
	return slot{path: s.tensor(role, "bias").Name, expr: "nn.Parameter(torch.zeros(" + size + "))", parameter: true}
}

// normed is a norm over the last axis: an RMSNorm, with a bias a LayerNorm, with
// offset an RMSNorm whose factor is 1 + weight.
func (d *draft) normed(s Stored, role, size string, bias, offset bool, eps float64) *piece {
	name := "nn.RMSNorm"
	switch {
	case bias:
		name = "nn.LayerNorm"
	case offset:
		d.need(offsetRMSNorm)
		name = "$" + offsetRMSNorm.Name
	}
	if path, ok := moduleOf(s, role, bias); ok {
		return d.module(path, pyCall(name, size, "eps="+pyFloat(eps)))
	}
	list := []slot{{path: s.tensor(role, "weight").Name, expr: "nn.Parameter(torch.ones(" + size + "))", parameter: true}}
	p := &piece{apply: pyCall("F.rms_norm", "$x", "$0.shape", "$0", "eps="+pyFloat(eps))}
	switch {
	case bias:
		list = append(list, constant(s, role, size))
		p.apply = pyCall("F.layer_norm", "$x", "$0.shape", "$0", "$1", "eps="+pyFloat(eps))
	case offset:
		list[0].expr = "nn.Parameter(torch.zeros(" + size + "))"
		p.apply = pyCall("F.rms_norm", "$x", "$0.shape", "1 + $0", "eps="+pyFloat(eps))
	}
	return d.add(p, list...)
}

// table is the rows of a role that ids look up.
func (d *draft) table(s Stored, role, rows, width string) *piece {
	if path, ok := moduleOf(s, role, false); ok {
		return d.module(path, pyCall("nn.Embedding", rows, width))
	}
	p := d.free(s.tensor(role, "weight").Name, "torch.randn("+rows+", "+width+") * 0.02")
	p.apply = "F.embedding($x, $0)"
	return p
}

// place settles where the pieces stand. It comes after all of them and before
// the first use.
func (d *draft) place() error {
	init, at, err := slots(d.slots)
	if err != nil {
		return err
	}
	for _, p := range d.pieces {
		for _, i := range p.slots {
			p.at = append(p.at, at[i])
		}
	}
	d.init = append(d.init, init...)
	return nil
}

// step writes statements of forward. A remark that does not fit behind its
// statement stands above it.
func (d *draft) step(list ...string) {
	for _, s := range list {
		code, remark, ok := strings.Cut(s, "  # ")
		if ok && len(s) > bodyWidth {
			indent := s[:len(s)-len(strings.TrimLeft(s, " "))]
			d.body = append(d.body, indent+"# "+remark)
			s = code
		}
		d.body = append(d.body, s)
	}
}

// bodyWidth is what a statement of forward has room for.
const bodyWidth = 80

// complete writes the class.
func (d *draft) complete() (Class, error) {
	for _, s := range d.slots {
		if head, _, _ := strings.Cut(s.path, "."); slices.Contains(d.attributes, head) {
			return Class{}, fmt.Errorf("the name %q begins like an attribute that the class has for itself", s.path)
		}
	}
	d.params = strings.Join(d.signature, ", ")
	c := d.class()
	c.Needs = d.needs
	return c, nil
}

// torch is the module that the draft describes.
func (d *draft) torch(call string) (Torch, error) {
	c, err := d.complete()
	return Torch{Module: pyCall("$Class", d.values...), Class: c, Call: call}, err
}

// docWidth is what a docstring of a class has room for.
const docWidth = 84

// docstring is a title, and sentences below it where there are any.
func docstring(title string, facts ...string) string {
	text := strings.Join(facts, "; ")
	if text == "" {
		return title + "."
	}
	text = strings.ToUpper(text[:1]) + text[1:] + "."
	var b strings.Builder
	b.WriteString(title + ".\n\n   ")
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > docWidth {
			b.WriteString("\n   ")
			column = 0
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	b.WriteString("\n    ")
	return b.String()
}

// title is the name of a type in the words of a docstring, and as a class.
func title(typ string) (words, class string) {
	t, ok := Lookup(typ)
	if !ok {
		return typ, typ
	}
	return t.Display, strings.NewReplacer(" ", "", "-", "").Replace(t.Display)
}
