//go:build js && wasm

// Package browser gives the functions of a program to the page that runs it.
package browser

import "syscall/js"

// A Method takes texts and returns one.
type Method func(args []string) (string, error)

// Serve sets an object of the page whose functions are the methods, and never
// returns. A function throws nothing: it returns {ok: …} or {error: "…"}.
func Serve(name string, methods map[string]Method) {
	object := js.Global().Get("Object").New()
	for name, method := range methods {
		object.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			texts := make([]string, len(args))
			for i, a := range args {
				texts[i] = a.String()
			}
			result, err := method(texts)
			if err != nil {
				return map[string]any{"error": err.Error()}
			}
			return map[string]any{"ok": result}
		}))
	}
	js.Global().Set(name, object)
	select {}
}
