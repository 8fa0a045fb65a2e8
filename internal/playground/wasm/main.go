//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/poolbench/poolbench/bench"
)

func main() {
	js.Global().Set("poolbenchRun", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, done := args[0].String(), args[1]
		go func() {
			var w bench.Written
			if err := json.Unmarshal([]byte(text), &w); err != nil {
				done.Invoke(err.Error())
				return
			}
			s, err := w.Scenario()
			if err != nil {
				done.Invoke(err.Error())
				return
			}
			r, err := bench.Run(context.Background(), s)
			if err != nil {
				done.Invoke(err.Error())
				return
			}
			out, _ := json.Marshal(r)
			done.Invoke(string(out))
		}()
		return nil
	}))
	select {}
}
