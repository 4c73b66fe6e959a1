package sarif

// A Log is a SARIF document. The types below are the part of the format that
// this package writes, under the format's own names.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// A Run is one run of one tool.
type Run struct {
	Tool        Tool         `json:"tool"`
	Invocations []Invocation `json:"invocations"`
	ColumnKind  string       `json:"columnKind"`
	Results     []Result     `json:"results"`
}

// A Tool is the program and its extensions, of which there are none.
type Tool struct {
	Driver Driver `json:"driver"`
}

// A Driver is the program with its rules.
type Driver struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	InformationURI string `json:"informationUri"`
	Rules          []Rule `json:"rules"`
}

// A Rule is a reportingDescriptor.
type Rule struct {
	ID         string        `json:"id"`
	Short      Message       `json:"shortDescription"`
	Full       Message       `json:"fullDescription"`
	Help       Message       `json:"help"`
	HelpURI    string        `json:"helpUri"`
	Default    Configuration `json:"defaultConfiguration"`
	Properties Properties    `json:"properties"`
}

// A Configuration is the level of a rule.
type Configuration struct {
	Level string `json:"level"`
}

// Properties are tags to find a rule by.
type Properties struct {
	Tags []string `json:"tags"`
}

// A Message is a text, also where the format calls it a multiformat message.
type Message struct {
	Text string `json:"text"`
}

// An Invocation says how the run went.
type Invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []Notification `json:"toolExecutionNotifications"`
}

// A Notification is what the run has to say of itself.
type Notification struct {
	Level     string     `json:"level"`
	Message   Message    `json:"message"`
	Locations []Location `json:"locations"`
}

// A Result is one finding.
type Result struct {
	RuleID       string        `json:"ruleId"`
	RuleIndex    int           `json:"ruleIndex"`
	Level        string        `json:"level"`
	Message      Message       `json:"message"`
	Locations    []Location    `json:"locations"`
	Suppressions []Suppression `json:"suppressions,omitempty"`
}

// A Suppression says why a result may stand.
type Suppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// A Location is a place in a file, and the components that stand there.
type Location struct {
	Physical Physical  `json:"physicalLocation"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
}

// A Physical location is a place in a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// An Artifact is a file by its address.
type Artifact struct {
	URI         string   `json:"uri"`
	Description *Message `json:"description,omitempty"`
}

// A Region is where something begins; lines and columns count from 1, columns
// in characters.
type Region struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

// A Logical location is a component.
type Logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}
