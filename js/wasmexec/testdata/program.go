//go:build js && wasm

// A program that needs all that the wrapper hides, and the real global object.
package main

import (
	"os"
	"syscall/js"
)

func main() {
	os.Stdout.WriteString("printed\n")
	wd, err := os.Getwd()
	js.Global().Set("answer", []any{os.Getppid(), wd, err != nil, js.Global().Get("question")})
}
