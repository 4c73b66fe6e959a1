// Package history asks git what has become of graph documents since a revision.
//
// Open finds the repository of a folder, Since the commit to compare with, and
// Changes what the working tree has in another way: files that are not
// committed, or not known to git, count too. The program git does the work, and
// its words are those of the errors.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A Repository is a working tree.
type Repository struct {
	dir string // that paths are given from
	top string
}

// A Change is one file that differs. Paths are relative to the top of the
// working tree, with slashes.
type Change struct {
	Before string // its path in the commit, "" for a file that was added
	After  string // its path in the working tree, "" for one that was removed
}

// Open finds the repository that a folder is part of.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{dir: dir}
	top, err := r.git(ctx, "rev-parse", "--show-toplevel")
	r.top = strings.TrimRight(top, "\r\n")
	return r, err
}

// File is where a path of the working tree stands.
func (r *Repository) File(path string) string { return filepath.Join(r.top, filepath.FromSlash(path)) }

// Since is the commit that a revision and the current one go back to: what the
// revision got afterwards is no change of ours. Where the history that is there
// has none, as in a shallow clone, it is the revision itself.
func (r *Repository) Since(ctx context.Context, revision string) (commit string, err error) {
	commit, err = r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("git knows no commit %q; a shallow clone has only the last ones (fetch it, or check out with a larger depth)", revision)
	}
	commit = strings.TrimSpace(commit)
	if base, err := r.git(ctx, "merge-base", commit, "HEAD"); err == nil {
		commit = strings.TrimSpace(base)
	}
	return commit, nil
}

// Changes lists the graph documents that differ from a commit, in the order of
// their paths: every model.json, or those among the given files and folders. A
// folder stands for each model.json below it.
func (r *Repository) Changes(ctx context.Context, commit string, of ...string) ([]Change, error) {
	args := pathspecs(of)
	known, err := r.git(ctx, append([]string{"diff", "--name-status", "-z", "--find-renames", "--no-ext-diff", "--end-of-options", commit, "--"}, args...)...)
	if err != nil {
		return nil, err
	}
	list, err := parse(known)
	if err != nil {
		return nil, err
	}
	others, err := r.git(ctx, append([]string{"ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--"}, args...)...)
	for _, name := range fields(others) {
		list = append(list, Change{After: name})
	}
	return list, err
}

// pathspecs are files and folders as git has them.
func pathspecs(of []string) []string {
	if len(of) == 0 {
		return []string{":(top,glob)**/model.json"}
	}
	list := make([]string, len(of))
	for i, name := range of {
		name = filepath.ToSlash(name)
		if path.Ext(name) != ".json" {
			name = path.Join(name, "**/model.json")
		}
		list[i] = ":(glob)" + name
	}
	return list
}

func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
}

// parse reads statuses and paths: one of each, and of what was renamed two
// paths.
func parse(text string) (list []Change, err error) {
	f := fields(text)
	for len(f) > 0 {
		need := 2
		if f[0][0] == 'R' || f[0][0] == 'C' {
			need = 3
		}
		if len(f) < need {
			return nil, fmt.Errorf("git diff answers with %q", text)
		}
		c := Change{f[1], f[need-1]}
		switch f[0][0] {
		case 'A', 'C':
			c.Before = ""
		case 'D':
			c.After = ""
		}
		list, f = append(list, c), f[need:]
	}
	return list, nil
}

// Before is what a file of a commit holds.
func (r *Repository) Before(ctx context.Context, commit, path string) ([]byte, error) {
	text, err := r.git(ctx, "cat-file", "blob", commit+":"+path)
	return []byte(text), err
}

// git runs git, and answers with what it prints.
func (r *Repository) git(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = r.dir
	c.Env = append(c.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	switch text := strings.TrimSpace(stderr.String()); {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the program git is not there, which knows what has changed; install it")
	case err != nil && text != "":
		return "", fmt.Errorf("git %s: %s", args[0], text)
	case err != nil:
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return stdout.String(), nil
}
