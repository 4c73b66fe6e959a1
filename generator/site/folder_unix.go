//go:build unix

package site

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// flock locks an open folder until it is closed. It reports whether the lock was
// got, which only a wait is sure of. A file system without locks has none to
// wait for.
func flock(folder *os.File, wait bool) (bool, error) {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(folder.Fd()), how)
		switch {
		case err == nil, errors.Is(err, errors.ErrUnsupported), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EBADF):
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.EINTR):
			continue
		}
		return false, err
	}
}

// sameDevice reports whether two folders are on one file system, as far as can
// be told.
func sameDevice(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	if err1 != nil || err2 != nil {
		return false
	}
	statA, ok1 := infoA.Sys().(*syscall.Stat_t)
	statB, ok2 := infoB.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && statA.Dev == statB.Dev
}
