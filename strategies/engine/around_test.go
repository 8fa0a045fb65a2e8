package engine_test

import (
	"reflect"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

func TestResemble(t *testing.T) {
	var like, got strategies.Task
	v := reflect.ValueOf(&like).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.CanSet():
		case f.CanInt():
			f.SetInt(int64(i + 1))
		case f.CanUint():
			f.SetUint(uint64(i + 1))
		}
	}
	if engine.Resemble(&got, &like); !reflect.DeepEqual(got, like) {
		t.Errorf("%+v resembles %+v", got, like)
	}
}
