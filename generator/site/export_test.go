package site

// WithoutExchange runs f where no folder can take the place of another.
func WithoutExchange(err error, f func()) {
	was := exchange
	defer func() { exchange = was }()
	exchange = func(a, b string) error { return err }
	f()
}
