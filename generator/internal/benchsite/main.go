// Command benchsite measures how long sites take: synthetic catalogs of several
// sizes, built from nothing, built again, and built after one edit, beside what
// it costs to copy the same files, and beside Hugo with as many pages of the same
// sizes. make bench-site runs it.
//
// Figures are for one machine at one time: compare the rows of one table. Times
// under "wall" grow when others use the machine, those under "CPU" hardly.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/strata-catalog/strata/generator/internal/synthetic"
)

func main() {
	sizes := flag.String("sizes", "100,1000,10000", "how many templates, a list")
	seed := flag.Uint64("seed", 8, "of the catalogs")
	program := flag.String("strata", "", "the program to measure")
	hugo := flag.String("hugo", "hugo", "Hugo; skipped where it is not there")
	flag.Parse()
	if err := run(*sizes, *seed, *program, *hugo); err != nil {
		fmt.Fprintln(os.Stderr, "benchsite:", err)
		os.Exit(1)
	}
}

func run(sizes string, seed uint64, program, hugo string) error {
	if program == "" {
		return errors.New("give the program with -strata")
	}
	fmt.Println("| templates | what | pages | files | MB | wall s | CPU s | peak MB | pages/s | pages/CPU s |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return fmt.Errorf("found the size %q, expected a number of templates", size)
		}
		if err := measure(seed, n, program, hugo); err != nil {
			return fmt.Errorf("%d templates: %w", n, err)
		}
	}
	return nil
}

func measure(seed uint64, n int, program, hugo string) error {
	dir, err := os.MkdirTemp("", "benchsite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, site := filepath.Join(dir, "source"), filepath.Join(dir, "site")
	for _, f := range synthetic.Catalog(seed, n) {
		if err := write(filepath.Join(source, f.Path), f.Text); err != nil {
			return err
		}
	}
	build := []string{program, "build", "--source", source, "--out", site}
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
	if _, err := exec.LookPath(hugo); err != nil {
		fmt.Printf("| %d | hugo --minify: SKIPPED, it is not here | | | | | | | | |\n", n)
		return nil
	}
	other := filepath.Join(dir, "hugo")
	if err := hugoSite(other, site); err != nil {
		return err
	}
	took, err := command(hugo, "--minify", "--quiet", "--source", other, "--destination", filepath.Join(dir, "hugo-site"))
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

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
