// Package github keeps one comment on a pull request of GitHub up to date.
//
// From reads which pull request a workflow runs for, from the variables that
// every runner has. Comment writes the comment, or changes the one that an
// earlier run wrote: a marker, which no reader sees, tells it from others.
package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A PullRequest is where a comment goes.
type PullRequest struct {
	api, token, repository string
	number                 int64
}

// From reads the environment of a workflow that runs for a pull request.
func From(env func(string) string) (*PullRequest, error) {
	p := &PullRequest{api: env("GITHUB_API_URL"), token: env("GITHUB_TOKEN"), repository: env("GITHUB_REPOSITORY")}
	if p.api == "" {
		p.api = "https://api.github.com"
	}
	for name, value := range map[string]string{"GITHUB_TOKEN": p.token, "GITHUB_REPOSITORY": p.repository, "GITHUB_EVENT_PATH": env("GITHUB_EVENT_PATH")} {
		if value == "" {
			return nil, fmt.Errorf("a comment needs the environment of a workflow of GitHub: %s is not set", name)
		}
	}
	src, err := os.ReadFile(env("GITHUB_EVENT_PATH"))
	if err != nil {
		return nil, err
	}
	var event struct {
		PullRequest struct {
			Number int64 `json:"number"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(src, &event); err != nil {
		return nil, fmt.Errorf("%s: %w", env("GITHUB_EVENT_PATH"), err)
	}
	if p.number = event.PullRequest.Number; p.number == 0 {
		return nil, errors.New("a comment needs a pull request: the workflow runs for another event")
	}
	return p, nil
}

// A comment is what the API says of one.
type comment struct {
	ID   int64  `json:"id,omitzero"`
	Body string `json:"body"`
}

// Comment sees to it that the pull request has one comment with the marker, a
// comment of HTML, and this body. With create false it writes no new one, and
// changes only what is there.
func (p *PullRequest) Comment(ctx context.Context, marker, body string, create bool) error {
	mine, err := p.find(ctx, marker)
	if err != nil {
		return err
	}
	text := comment{Body: marker + "\n" + body}
	switch {
	case mine == nil && !create, mine != nil && mine.Body == text.Body:
		return nil
	case mine == nil:
		return p.call(ctx, http.MethodPost, fmt.Sprintf("issues/%d/comments", p.number), text, nil)
	}
	return p.call(ctx, http.MethodPatch, fmt.Sprintf("issues/comments/%d", mine.ID), text, nil)
}

// find looks for the first comment with the marker, nil where there is none.
func (p *PullRequest) find(ctx context.Context, marker string) (*comment, error) {
	const most = 100 // of a page, which is the most that the API allows
	for page := 1; ; page++ {
		var list []comment
		if err := p.call(ctx, http.MethodGet, fmt.Sprintf("issues/%d/comments?per_page=%d&page=%d", p.number, most, page), nil, &list); err != nil {
			return nil, err
		}
		for i := range list {
			if strings.HasPrefix(list[i].Body, marker) {
				return &list[i], nil
			}
		}
		if len(list) < most {
			return nil, nil
		}
	}
}

// patience is how long one call may take, and largest how much it may answer.
const (
	patience = 30 * time.Second
	largest  = 32 << 20
)

// call asks the API about the repository.
func (p *PullRequest) call(ctx context.Context, method, path string, send, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var body io.Reader
	if send != nil {
		src, err := json.Marshal(send)
		if err != nil {
			return err
		}
		body = bytes.NewReader(src)
	}
	q, err := http.NewRequestWithContext(ctx, method, p.api+"/repos/"+p.repository+"/"+path, body)
	if err != nil {
		return err
	}
	q.Header.Set("Accept", "application/vnd.github+json")
	q.Header.Set("Authorization", "Bearer "+p.token)
	q.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	src, err := io.ReadAll(io.LimitReader(answer.Body, largest))
	switch {
	case err != nil:
		return err
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("GitHub allows no comment (%s): the job needs permissions: pull-requests: write, which those for pull requests from forks do not get", answer.Status)
	case answer.StatusCode >= 300:
		return fmt.Errorf("GitHub answers %s to %s %s", answer.Status, method, path)
	case into == nil:
		return nil
	}
	return json.Unmarshal(src, into)
}
