package content

// Settings are what content/site.yaml says of the site as a whole.
type Settings struct {
	File        string   `yaml:"-"` // where they were read from, "" for the defaults
	Title       string   `yaml:"title" doc:"name of the site"`
	BaseURL     string   `yaml:"base-url" is:"url" doc:"address that the site is published at; links stay relative without it"`
	Description string   `yaml:"description" doc:"one line for search engines and the feed"`
	Language    string   `yaml:"language" is:"language" doc:"language of the texts"`
	Author      string   `yaml:"author" doc:"who publishes the site, for the feed"`
	Theme       string   `yaml:"theme" is:"name" doc:"folder of themes that the pages are rendered by"`
	CatalogURL  string   `yaml:"catalog-url" is:"url" doc:"where the templates and texts are kept, for links to their source"`
	APIURL      string   `yaml:"api-url" is:"url" doc:"server that answers under /api/v1, for pages to name; they name the path alone without it"`
	Assumptions Section  `yaml:"assumptions" doc:"what estimates of memory and cost assume, where it differs from the defaults"`
	GPUs        []string `yaml:"gpus" doc:"cards to show, by name; all that are known when not given"`
	Diffs       string   `yaml:"diffs" is:"related|all" doc:"which pairs get a diff page beside those written up: each template with its nearest relatives, or every pair"`
	Relatives   int      `yaml:"relatives" min:"0" doc:"how many of its nearest relatives a template is compared with"`
	FeedSize    int      `yaml:"feed-size" min:"1" doc:"how many entries the feed holds"`

	places
}

// The values of Settings.Diffs.
const (
	DiffsRelated = "related"
	DiffsAll     = "all"
)

// Defaults are the settings of a site that sets nothing.
func Defaults() Settings {
	return Settings{
		Title:       "Architectures",
		Description: "Neural-network architectures, layer by layer.",
		Language:    "en",
		Theme:       "default",
		Diffs:       DiffsRelated,
		Relatives:   8,
		FeedSize:    20,
	}
}
