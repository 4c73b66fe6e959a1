//go:build !linux

package site

import "errors"

// exchange would swap two folders in one step.
var exchange = func(a, b string) error { return errors.ErrUnsupported }
