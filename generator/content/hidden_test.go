package content

import "testing"

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{
		"base.html": false, "model.json": false, "tmp": false, "4913.md": false, "a.bak.md": false, "tilde~.md": false,
		".git": true, ".base.html.swp": true, "base.html~": true, "#base.html#": true, ".#base.html": true, "4913": true,
		"footer.htmlknvcsd.bck": true, "base.html.bak": true, "model.json___jb_tmp___": true, "model.json.tmp": true,
	} {
		if Hidden(name) != want {
			t.Errorf("Hidden(%q) is %v", name, !want)
		}
	}
}
