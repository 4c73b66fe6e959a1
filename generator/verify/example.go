package verify

import "strings"

// An Example shows what a rule is about.
type Example struct {
	About string // in words
	Bad   string // a graph document on which the rule fires
	Good  string // a near miss, on which it does not
}

// Example is the rule's story, which the tests run.
func (r *Rule) Example() Example {
	src, err := stories.ReadFile("testdata/" + r.ID + ".txtar")
	if err != nil { // the tests find a rule without a story
		return Example{}
	}
	about, files, _ := strings.Cut(string(src), "-- bad.json --\n")
	return Example{About: strings.TrimSpace(about), Bad: upToNext(files), Good: after(files, "\n-- good.json --\n")}
}

// after is the file of an archive that a marker begins.
func after(files, marker string) string {
	_, file, _ := strings.Cut(files, marker)
	return upToNext(file)
}

// upToNext cuts a file where the next one begins.
func upToNext(files string) string {
	file, _, _ := strings.Cut(files, "\n-- ")
	return strings.TrimSuffix(file, "\n") + "\n"
}
