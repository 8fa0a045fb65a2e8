package requests

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"text/template"
	"text/template/parse"
)

// A full template is executed by text/template, with values escaped as in html/template.
type full struct{ idle sync.Pool } // of *executor

type executor struct {
	t       *template.Template
	filling *filling
	out     []byte
	steps   int // iterations of loops
	made    int // bytes of text
}

func (x *executor) Write(p []byte) (int, error) {
	if err := x.spend(len(p)); err != nil {
		return 0, err
	}
	x.out = append(x.out, p...)
	return len(p), nil
}

func (f *full) put(to []byte, with *filling) ([]byte, error) {
	x := f.idle.Get().(*executor)
	x.filling, x.out, x.steps, x.made = with, to, 0, 0
	err := x.t.Execute(x, nil)
	to, x.out, x.filling = x.out, nil, nil
	with.steps += x.steps
	f.idle.Put(x)
	if err != nil {
		return to, cleaned(err)
	}
	return to, nil
}

type (
	jsonValue string // JSON as written
	rawValue  string // not escaped
)

func (r *Request) whole(t *template.Template, begins position) (*full, error) {
	if _, err := escape(t.Root, begins); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	r.takes = r.takes || len(r.step.Captured) > 0 // they may be used anywhere in it
	f := &full{}
	f.idle.New = func() any {
		x := &executor{}
		own, err := t.Clone()
		if err != nil {
			panic(fmt.Sprintf("templates: cannot copy a parsed template: %v", err))
		}
		x.t = own.Funcs(r.functions(x))
		return x
	}
	return f, nil
}

func putName(p position) string { return "_put" + strconv.Itoa(int(p)) }

// escape returns the position after the list.
func escape(list *parse.ListNode, at position) (position, error) {
	if list == nil {
		return at, nil
	}
	for _, n := range list.Nodes {
		var err error
		switch n := n.(type) {
		case *parse.TextNode:
			at = at.advance(string(n.Text))
		case *parse.CommentNode:
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 {
				continue // it writes nothing
			}
			if err = at.wrong(); err == nil {
				name := parse.NewIdentifier(putName(at)).SetPos(n.Pos)
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
					NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}})
			}
		case *parse.IfNode:
			at, err = branches(&n.BranchNode, at, false)
		case *parse.WithNode:
			at, err = branches(&n.BranchNode, at, false)
		case *parse.RangeNode:
			if at, err = branches(&n.BranchNode, at, true); err == nil {
				n.List.Nodes = slices.Insert(n.List.Nodes, 0, counted(n.Pos))
			}
		default:
			err = fmt.Errorf("%s is not supported", n)
		}
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

const stepName = "_step"

func counted(at parse.Pos) parse.Node {
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at,
		Args: []parse.Node{parse.NewIdentifier(stepName).SetPos(at)}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{call}}}
}

func branches(n *parse.BranchNode, at position, again bool) (position, error) {
	one, err := escape(n.List, at)
	if err != nil {
		return at, err
	}
	other, err := escape(n.ElseList, at)
	if err != nil {
		return at, err
	}
	if one != other || again && one != at {
		return at, fmt.Errorf("%s: its branches end in different positions, so the text "+
			"that follows cannot be escaped for one", n.Pipe)
	}
	return one, nil
}

func (r *Request) functions(x *executor) template.FuncMap {
	all := template.FuncMap{
		"seq": func() uint64 { return x.filling.seq },
		"uuid": func() string {
			return string(x.filling.putUUID(nil))
		},
		"random": func(low, high int64) (int64, error) {
			if low > high {
				return 0, fmt.Errorf("random %d %d: want the lower one first", low, high)
			}
			return x.filling.between(low, high), nil
		},
		"column": func(name string) (any, error) {
			i := r.column(name)
			if i < 0 {
				return nil, r.noColumn(name)
			}
			return templateValue(x.filling.row[i]), nil
		},
		"raw": func(v any) rawValue { return rawValue(valueOf(v).Text) },
		"json": func(v any) (jsonValue, error) {
			if is := valueOf(v); is.JSON {
				return jsonValue(is.Text), nil
			}
			if err := x.spendArgs([]any{v}); err != nil {
				return "", err
			}
			text, err := json.Marshal(v)
			return jsonValue(text), cmp.Or(err, x.spend(len(text)))
		},
		"base64": func(v any) (string, error) {
			return x.text(base64.StdEncoding.EncodeToString([]byte(valueOf(v).Text)))
		},
	}
	x.texts(all)
	for p := inText; p <= inEscape; p++ {
		all[putName(p)] = func(v any) string {
			if raw, ok := v.(rawValue); ok {
				return string(p.putRaw(nil, string(raw)))
			}
			return string(p.put(nil, valueOf(v)))
		}
	}
	if r.step.Of > 0 {
		all[sessionName] = func() uint64 { return x.filling.session }
	}
	for i, name := range r.step.Captured {
		all[name] = func() any { return templateValue(x.filling.captured[i]) }
	}
	if r.data != nil {
		for i, c := range r.data.Columns {
			if isIdentifier(c) {
				all[c] = func() any { return templateValue(x.filling.row[i]) }
			}
		}
	}
	return all
}

func templateValue(v Value) any {
	if v.JSON {
		return jsonValue(v.Text)
	}
	return v.Text
}

func valueOf(v any) Value {
	switch v := v.(type) {
	case nil:
		return Value{Text: "null", JSON: true}
	case string:
		return Value{Text: v}
	case jsonValue:
		return Value{Text: string(v), JSON: true}
	case rawValue:
		return Value{Text: string(v)}
	case bool, int, int64, uint64, float64:
		return Value{Text: fmt.Sprint(v), JSON: true}
	}
	return Value{Text: fmt.Sprint(v)}
}
