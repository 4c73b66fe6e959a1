// Command benchsite measures how long sites take: synthetic catalogs of several
// sizes, built from nothing, built again, and built after one edit, beside what
// no build can do without, and beside Hugo. make bench-site runs it.
//
// The rows beside those of strata are:
//
//   - cp -r of the site: what the file system takes.
//   - the floor: reading and analysing the catalog, and then reading each file of
//     the site, its SHA-256, and writing it once more; a build that took no time
//     to say anything would take as long.
//   - Hugo with --minify: as many pages as the site has HTML, each a table in
//     Markdown that becomes as many bytes of HTML. It makes neither the Markdown
//     and JSON twins, diagrams and code, which are three fifths of the bytes of
//     the site, nor what stands in them; strata reads no long Markdown. Hugo
//     holds all pages at once, so that it stands beside small catalogs alone.
//
// Figures are for one machine at one time: compare the rows of one table. Times
// under "wall" grow when others use the machine, those under "CPU" less.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/internal/synthetic"
)

func main() {
	sizes := flag.String("sizes", "100,1000,10000", "how many templates, a list")
	seed := flag.Uint64("seed", 8, "of the catalogs")
	program := flag.String("strata", "", "the program to measure")
	relatives := flag.Int("relatives", 8, "with how many of its nearest relatives each template has a diff")
	hugo := flag.String("hugo", "hugo", "Hugo; skipped where it is not there")
	most := flag.Int("hugo-most", 1000, "largest size to build with Hugo too")
	flag.Parse()
	b := bench{seed: *seed, relatives: *relatives, program: *program, hugo: *hugo, most: *most}
	if err := b.run(*sizes); err != nil {
		fmt.Fprintln(os.Stderr, "benchsite:", err)
		os.Exit(1)
	}
}

// bench is what to measure.
type bench struct {
	seed      uint64
	relatives int
	program   string
	hugo      string
	most      int // templates beside Hugo
}

func (b *bench) run(sizes string) error {
	if b.program == "" {
		return errors.New("give the program with -strata")
	}
	fmt.Println("| templates | what | pages | files | MB | wall s | CPU s | peak MB | pages/s | pages/CPU s |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return fmt.Errorf("found the size %q, expected a number of templates", size)
		}
		if err := b.measure(n); err != nil {
			return fmt.Errorf("%d templates: %w", n, err)
		}
	}
	return nil
}

func (b *bench) measure(n int) error {
	dir, err := os.MkdirTemp("", "benchsite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, site := filepath.Join(dir, "source"), filepath.Join(dir, "site")
	for _, f := range synthetic.Catalog(b.seed, n) {
		if f.Path == synthetic.Settings {
			f.Text += fmt.Sprintf("relatives: %d\n", b.relatives)
		}
		if err := write(filepath.Join(source, f.Path), f.Text); err != nil {
			return err
		}
	}
	build := []string{b.program, "build", "--source", source, "--out", site}
	first, err := command(build...)
	if err != nil {
		return err
	}
	made, err := count(site)
	if err != nil {
		return err
	}
	report(n, "strata build", made, first)
	again, err := command(build...)
	if err != nil {
		return err
	}
	report(n, "strata build, nothing changed", made, again)
	name := filepath.Join(source, "templates", synthetic.ID(n/2), "model.json")
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := write(name, strings.Replace(string(src), `"name": "`, `"name": "New `, 1)); err != nil {
		return err
	}
	edited, err := command(build...)
	if err != nil {
		return err
	}
	report(n, "strata build, one template changed", made, edited)
	copied, err := command("cp", "-r", site, filepath.Join(dir, "copy"))
	if err != nil {
		return err
	}
	report(n, "cp -r of the site", made, copied)
	least, err := floor(source, site, filepath.Join(dir, "floor"))
	if err != nil {
		return err
	}
	report(n, "the floor: analysis, SHA-256, writing", made, least)
	if n > b.most {
		fmt.Printf("| %d | hugo --minify: SKIPPED, the size is above -hugo-most | | | | | | | | |\n", n)
		return nil
	}
	if _, err := exec.LookPath(b.hugo); err != nil {
		fmt.Printf("| %d | hugo --minify: SKIPPED, it is not here | | | | | | | | |\n", n)
		return nil
	}
	other := filepath.Join(dir, "hugo")
	if err := hugoSite(other, site); err != nil {
		return err
	}
	took, err := command(b.hugo, "--minify", "--quiet", "--source", other, "--destination", filepath.Join(dir, "hugo-site"))
	if err != nil {
		return err
	}
	if made, err = count(filepath.Join(dir, "hugo-site")); err != nil {
		return err
	}
	report(n, "hugo --minify, as many pages of the same sizes", made, took)
	return nil
}

// usage is what a command used.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes of memory
}

func command(args ...string) (usage, error) {
	cmd := exec.Command(args[0], args[1:]...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	u := usage{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peak = r.Maxrss << 10
	}
	return u, nil
}

// floor is what the parts of a build take that none can do without.
func floor(source, site, to string) (u usage, err error) {
	start, before := time.Now(), used()
	_, err = catalog.Load(catalog.Options{
		Templates: os.DirFS(filepath.Join(source, "templates")), Content: os.DirFS(filepath.Join(source, "content")),
	})
	if err != nil {
		return u, err
	}
	names := make(chan string)
	failed := make(chan error, runtime.GOMAXPROCS(0))
	for range cap(failed) {
		go func() {
			var errs error
			for name := range names {
				errs = errors.Join(errs, again(filepath.Join(site, name), filepath.Join(to, name)))
			}
			failed <- errs
		}()
	}
	err = each(site, func(name string, _ int64) error {
		rel, err := filepath.Rel(site, name)
		names <- rel
		return err
	})
	close(names)
	for range cap(failed) {
		err = errors.Join(err, <-failed)
	}
	return usage{wall: time.Since(start), cpu: used() - before}, err
}

// again reads a file, takes its checksum, and writes it elsewhere.
func again(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if sha256.Sum256(data) == [sha256.Size]byte{} {
		return errors.New("found a checksum of zeros")
	}
	return writeBytes(to, data)
}

// used is what this process has taken of the processors.
func used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // it has no other error than that of a wrong argument
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// counted is what stands in a folder.
type counted struct {
	pages, files int
	bytes        int64
}

func count(dir string) (c counted, err error) {
	err = each(dir, func(name string, size int64) error {
		c.files++
		c.bytes += size
		if strings.HasSuffix(name, ".html") {
			c.pages++
		}
		return nil
	})
	return c, err
}

func each(dir string, f func(name string, size int64) error) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return f(name, info.Size())
	})
}

func report(n int, what string, c counted, u usage) {
	fmt.Printf("| %d | %s | %d | %d | %.1f | %.2f | %.2f | %d | %.0f | %.0f |\n", n, what, c.pages, c.files, float64(c.bytes)/1e6,
		u.wall.Seconds(), u.cpu.Seconds(), u.peak>>20, float64(c.pages)/u.wall.Seconds(), float64(c.pages)/u.cpu.Seconds())
}

// hugoSite makes a site of as many pages as there are in a built one, each of
// about as many bytes, in tables of a few columns.
func hugoSite(dir, like string) error {
	const layout = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body><main>{{ .Content }}</main></body></html>`
	for name, text := range map[string]string{
		"config.toml":                  "baseURL = \"https://example.org/\"\ntitle = \"Bench\"\ndisableKinds = [\"taxonomy\", \"term\", \"RSS\", \"sitemap\", \"section\", \"home\"]\nuglyURLs = true\n",
		"layouts/_default/single.html": layout,
	} {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	i := 0
	return each(like, func(name string, size int64) error {
		if !strings.HasSuffix(name, ".html") {
			return nil
		}
		i++
		return write(filepath.Join(dir, "content", "p", fmt.Sprintf("page-%d.md", i)), fmt.Sprintf("---\ntitle: Page %d\n---\n\n%s", i, table(i, int(size))))
	})
}

// table is a Markdown table that becomes about so many bytes of HTML.
func table(i, size int) string {
	var b strings.Builder
	b.WriteString("| # | Layer | Type | Parameters | Output shape | Weights |\n|---|---|---|---|---|---|\n")
	for row := 0; size > 0; row++ {
		line := fmt.Sprintf("| %d | layer %d of %d | linear | outFeatures %d | [1 %d] | %d |\n", row, row, i, 8*row, 8*row, 64*row*row)
		b.WriteString(line)
		size -= len(line) + 6*len("<td></td>") + len("<tr></tr>") - 7
	}
	return b.String()
}

func write(name, text string) error { return writeBytes(name, []byte(text)) }

func writeBytes(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
