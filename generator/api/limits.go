package api

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/strata-catalog/strata/generator/graph"
)

// Limits bound what requests may cost, and say who may ask. Flags take names and
// words from the tags.
type Limits struct {
	Body        int64         `flag:"max-body" min:"1" unit:"bytes" doc:"largest body of a request"`
	Nesting     int64         `flag:"max-nesting" min:"1" unit:"levels" doc:"deepest nesting of JSON in a body"`
	Components  int64         `flag:"max-components" min:"1" unit:"components" doc:"most components of a graph after expansion"`
	Time        time.Duration `flag:"max-time" min:"1ms" doc:"longest that a request may wait and be worked on"`
	Working     int64         `flag:"max-working" min:"1" unit:"requests" doc:"requests that are worked on at once"`
	Waiting     int64         `flag:"max-waiting" min:"0" unit:"requests" doc:"requests that are read or wait meanwhile; more are refused"`
	Connections int64         `flag:"max-connections" min:"1" unit:"connections" doc:"open connections"`
	Header      time.Duration `flag:"header-timeout" min:"1ms" doc:"longest that the head of a request may take to come"`
	Read        time.Duration `flag:"read-timeout" min:"1ms" doc:"longest that a body may take to come"`
	Write       time.Duration `flag:"write-timeout" min:"1ms" doc:"longest that an answer may take to go"`
	Idle        time.Duration `flag:"idle-timeout" min:"1ms" doc:"longest that a connection may stay open between requests"`
	Grace       time.Duration `flag:"grace" min:"0s" doc:"longest that requests may go on once the server is told to end"`
	Origin      string        `flag:"allow-origin" unit:"origin" doc:"origin whose pages may read answers in a browser, such as https://example.org, or * for all; none when not given"`
}

// Default is what a server takes where nothing else is said. Half a minute of
// one processor is more than any model of the catalog needs a thousand times.
func Default() Limits {
	return Limits{
		Body: 4 << 20, Nesting: graph.MaxNesting, Components: 20_000,
		Time: 10 * time.Second, Working: 2, Waiting: 64, Connections: 1024,
		Header: 5 * time.Second, Read: 10 * time.Second, Write: 20 * time.Second, Idle: time.Minute, Grace: 20 * time.Second,
	}
}

// A Limit is one of them, as flags show it.
type Limit struct {
	Name, Doc, Unit string
	field           reflect.Value
	min             string
}

// List is every limit, to be read and set, in declared order.
func (l *Limits) List() []Limit {
	v := reflect.ValueOf(l).Elem()
	list := make([]Limit, v.NumField())
	for i := range list {
		tag := v.Type().Field(i).Tag
		list[i] = Limit{tag.Get("flag"), tag.Get("doc"), tag.Get("unit"), v.Field(i), tag.Get("min")}
		if v.Field(i).Type() == reflect.TypeFor[time.Duration]() {
			list[i].Unit = "duration"
		}
	}
	return list
}

// String is the value as Set takes it.
func (l Limit) String() string { return fmt.Sprint(l.field.Interface()) }

// Set reads a value: a whole number, a duration such as 10s, or an origin.
func (l Limit) Set(text string) error {
	switch l.field.Interface().(type) {
	case time.Duration:
		d, err := time.ParseDuration(text)
		least, _ := time.ParseDuration(l.min)
		if err != nil || d < least {
			return fmt.Errorf("found %q, expected a duration of at least %s, such as 10s", text, l.min)
		}
		l.field.SetInt(int64(d))
	case int64:
		n, err := strconv.ParseInt(text, 10, 64)
		least, _ := strconv.ParseInt(l.min, 10, 64)
		if err != nil || n < least {
			return fmt.Errorf("found %q, expected a whole number of at least %s", text, l.min)
		}
		l.field.SetInt(n)
	default:
		if text != "" && text != "*" && !isOrigin(text) {
			return fmt.Errorf("found %q, expected an origin such as https://example.org, or *", text)
		}
		l.field.SetString(text)
	}
	return nil
}
