package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/checkpoint"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
)

const indexFile = "model.safetensors.index.json"

// headers reads the headers of a checkpoint: a safetensors file, the index of
// several, a GGUF file, or a folder that holds one of these.
func headers(name string) (*checkpoint.Checkpoint, error) {
	name, err := checkpointFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".index.json") {
		return indexed(name)
	}
	f, size, err := opened(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if magic, err := r.Peek(4); err == nil && string(magic) == "GGUF" {
		return parts(name, r, size)
	}
	return checkpoint.One(name, r, size)
}

// checkpointFile is the file to read: of a folder the index, or the one file of
// weights in it.
func checkpointFile(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, pathless(name, err)
	}
	for _, file := range []string{indexFile, "model.safetensors"} {
		if _, err := os.Stat(filepath.Join(name, file)); err == nil {
			return filepath.Join(name, file), nil
		}
	}
	files, _ := filepath.Glob(filepath.Join(name, "*.gguf"))
	if len(files) != 1 {
		return "", fmt.Errorf("%s: holds neither %s nor model.safetensors, and %d files .gguf; name the file", name, indexFile, len(files))
	}
	return files[0], nil
}

// pathless is an error of the file system with the name of the file once.
func pathless(name string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", name, pe.Err)
	}
	return err
}

func opened(name string) (*os.File, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, pathless(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: is no regular file", name)
	default:
		return f, info.Size(), nil
	}
	return nil, 0, errors.Join(pathless(name, err), f.Close())
}

// indexed reads the shards that an index names, which lie beside it.
func indexed(name string) (*checkpoint.Checkpoint, error) {
	f, size, err := opened(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > checkpoint.MaxHeader {
		return nil, fmt.Errorf("%s: is %d bytes long, expected an index of at most %d", name, size, checkpoint.MaxHeader)
	}
	src, err := io.ReadAll(f)
	if err != nil {
		return nil, pathless(name, err)
	}
	x, err := checkpoint.ReadIndex(name, src)
	if err != nil {
		return nil, err
	}
	return x.Join(func(shard string) ([]checkpoint.Tensor, error) {
		path := filepath.Join(filepath.Dir(name), shard)
		f, size, err := opened(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return checkpoint.Safetensors(path, bufio.NewReader(f), size)
	})
}

// split is the name of one of several GGUF files: model-00001-of-00003.gguf.
var split = regexp.MustCompile(`^(.*-)(\d{5})(-of-)(\d{5})(\.gguf)$`)

// parts reads a GGUF file, and the others where it is one of several.
func parts(name string, r io.Reader, size int64) (*checkpoint.Checkpoint, error) {
	c, err := checkpoint.GGUF(name, r, size)
	m := split.FindStringSubmatch(name)
	if err != nil || m == nil {
		return c, err
	}
	n, _ := strconv.Atoi(m[4])
	all := &checkpoint.Checkpoint{Format: c.Format}
	for i := 1; i <= n; i++ {
		path := m[1] + fmt.Sprintf("%05d", i) + m[3] + m[4] + m[5]
		f, size, err := opened(path)
		if err != nil {
			return nil, err
		}
		part, err := checkpoint.GGUF(path, f, size)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if all.Tensors = append(all.Tensors, part.Tensors...); len(all.Tensors) > checkpoint.MaxTensors {
			return nil, fmt.Errorf("%s: its parts have more than %d tensors", name, checkpoint.MaxTensors)
		}
	}
	return all, nil
}

// A Compared is what a comparison says in JSON.
type Compared struct {
	Graph      string `json:"graph" doc:"the graph, as given"`
	Checkpoint string `json:"checkpoint" doc:"the file, as given"`
	*checkpoint.Comparison
}

// against compares a model with a checkpoint and prints the answer. It fails
// where lines stand between them, and where strict also where names differ or
// types do.
func (s *Session) against(graph, file, form string, m *infer.Model, strict bool) (*checkpoint.Comparison, error) {
	c, err := headers(file)
	if err != nil {
		return nil, &Failure{2, printable(err.Error())}
	}
	k, err := checkpoint.Compare(m, c)
	if err != nil {
		return nil, &Failure{1, printable(graph + ": " + err.Error())}
	}
	if form == "json" {
		err = s.json(Compared{graph, file, k})
	} else {
		_, err = io.WriteString(s.Stdout, answer(graph, file, k))
	}
	if err == nil && (k.Verdict == checkpoint.Different || strict && (len(k.Differences) > 0 || len(k.Remarks) > 0)) {
		err = &Failure{Code: 1}
	}
	return k, err
}

// shown is how many patterns of names stand in one paragraph.
const shown = 20

// answer is a comparison in words.
func answer(graph, file string, k *checkpoint.Comparison) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		text, empty := strings.CutPrefix(format, "\n")
		if empty {
			b.WriteString("\n")
		}
		b.WriteString(printable(fmt.Sprintf(text, args...)) + "\n")
	}
	line("%s against %s (%s)", graph, file, k.Format)
	line("%s of %s have the same name and shape", format.Exact64(int64(k.Same)), tensors(k.Tensors))
	for _, f := range k.Forms {
		line("packed by %s: %s", f.Name, tensors(f.Tensors))
	}
	for _, r := range k.Remarks {
		line("note: %s", r)
	}
	paragraphs(k, line)
	if len(k.Map) > 0 {
		line("\nthe map of names, from the graph to the files:")
	}
	for _, r := range k.Map {
		line("  %s → %s (%s)", r.Graph, r.File, tensors(r.Tensors))
	}
	line("\n%20s  parameters of the graph", format.Exact64(k.Parameters))
	for _, l := range k.Lines {
		line("%20s  %s", signed(l.Elements), l.What)
	}
	line("%20s  elements stored", format.Exact64(k.Stored))
	b.WriteString("\n")
	switch k.Verdict {
	case checkpoint.Equal:
		line("This graph is that checkpoint.")
	case checkpoint.Renamed:
		line("This graph is that checkpoint, under other names.")
	default:
		line("This graph is not that checkpoint; between them stand: %s.", tensors(len(k.Blocking())))
	}
	return b.String()
}

func signed(n int64) string {
	if n > 0 {
		return "+" + format.Exact64(n)
	}
	return format.Exact64(n)
}

// tensors counts them.
func tensors(n int) string {
	if n == 1 {
		return "1 tensor"
	}
	return format.Exact64(int64(n)) + " tensors"
}

// heads are what stands above the differences of a kind.
var heads = []struct {
	kind checkpoint.Kind
	head string
}{
	{checkpoint.Missing, "missing from the files:"},
	{checkpoint.Extra, "not in the graph:"},
	{checkpoint.OtherShape, "of another shape, in the graph and in the files:"},
	{checkpoint.OtherType, "stored in another type than most:"},
}

// paragraphs lists the differences, names that differ in an index as one.
func paragraphs(k *checkpoint.Comparison, line func(string, ...any)) {
	for _, h := range heads {
		groups := map[string][]string{} // names by what is said of them
		var order []string
		for _, d := range k.Differences {
			if d.Kind != h.kind {
				continue
			}
			said := d.Graph + d.File
			switch d.Kind {
			case checkpoint.OtherShape:
				said = d.Graph + ", " + d.File
			case checkpoint.OtherType:
				said = d.File + ", most are " + d.Graph
			}
			if groups[said] == nil {
				order = append(order, said)
			}
			groups[said] = append(groups[said], d.Name)
		}
		if len(order) > 0 {
			line("\n%s", h.head)
		}
		n := 0
		for _, said := range order {
			for _, p := range checkpoint.Patterns(groups[said]) {
				if n++; n <= shown {
					line("  %s: %s", p, said)
				}
			}
		}
		if n > shown {
			line("  and %d more; --format json lists them all", n-shown)
		}
	}
}

// record writes what the files store into the content file of a template.
func record(source, id, file string, k *checkpoint.Comparison) (string, error) {
	name := filepath.Join(source, "content", "a", id+".md")
	src, err := os.ReadFile(name)
	if err != nil {
		return "", pathless(name, err)
	}
	lines := make([]content.Line, len(k.Lines))
	for i, l := range k.Lines {
		lines[i] = content.Line{Elements: l.Elements, What: l.What}
	}
	src, err = content.Record(name, src, k.Stored, lines, "header of "+filepath.Base(file))
	if err != nil {
		return "", err
	}
	return name, replace(name, src)
}
