package traces

import (
	"bytes"
	"errors"

	"github.com/tidwall/gjson"
)

var errJSON = errors.New("want a JSON object on each line, as jq -c writes")

// member returns the value without quotes around a string. A line that is cut off is an error, but
// the text after the member is not checked.
func member(line []byte, name string) (value []byte, ok bool, err error) {
	line = bytes.Trim(line, " \t")
	if len(line) == 0 || line[0] != '{' || line[len(line)-1] != '}' {
		return nil, false, errJSON
	}
	found := gjson.GetBytes(line, gjson.Escape(name))
	if !found.Exists() {
		if !gjson.ValidBytes(line) {
			err = errJSON
		}
		return nil, false, err
	}
	value = line[found.Index:][:len(found.Raw)]
	if found.Type == gjson.String {
		value = bytes.TrimSuffix(value[1:], []byte{'"'})
	}
	return value, true, nil
}

func members(object []byte) (names []string) {
	gjson.ParseBytes(object).ForEach(func(name, _ gjson.Result) bool {
		names = append(names, name.Raw)
		return true
	})
	return names
}
