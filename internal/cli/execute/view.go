package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/live"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

type View struct {
	meter   machine.Meter
	course  *live.Window
	seconds *live.Seconds
	server  *live.Server   // nil without a page
	stream  *live.Stream   // nil without a stream
	of      flags.Output   // flag of the stream
	export  *live.Exporter // nil if the environment names no collector
	plan    func() live.Plan
	end     func() // ends the clock
	closed  bool
}

// openView returns nil without viewers. It returns an error about the address before anything is
// written.
func openView(to io.Writer, f options.LiveFlag, title string) (*View, error) {
	v := &View{end: func() {}, plan: func() live.Plan { return live.Plan{Left: -1} }}
	v.seconds = live.NewSeconds(&v.meter)
	v.course = live.NewCourse(&v.meter, func() live.Plan { return v.plan() })
	var err error
	if v.export, err = live.Start(context.Background()); err != nil {
		return nil, err
	}
	if f.Stream.Path != "" {
		file, err := openStream(f.Stream)
		if err != nil {
			return nil, err
		}
		v.stream, v.of = live.NewStream(file), f.Stream
	}
	if f.Address == "" {
		if v.stream == nil && v.export == nil && terminal.Console(to) == nil {
			return nil, nil
		}
		return v, nil
	}
	err = options.CheckAddress(f.Address, f.Any)
	if err == nil {
		v.server, err = live.Serve(f.Address, f.Any, title, v.course)
	}
	if err != nil {
		return nil, fmt.Errorf("--live: %w", err)
	}
	fmt.Fprintf(to, "live at %s\n", v.server.URL())
	return v, nil
}

// openStream truncates the file of a stream, unless another command is writing to it.
func openStream(o flags.Output) (io.WriteCloser, error) {
	w, err := o.Open(0, 0o666)
	file, ok := w.(*os.File)
	if err != nil || !ok || !files.Replaces(o.Path) { // standard output keeps its content
		return w, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return w, err
	}
	held, err := files.TryLock(file)
	switch {
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
	case err == nil && !held:
		err = fmt.Errorf("%s: another command writes to it", o.Path)
	default:
		err = file.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(o.Named(err), file.Close())
	}
	return file, nil
}

// text is called with a line each second during a run. It may be nil.
func (v *View) Begin(
	ctx context.Context, plan func() live.Plan, text func(line string),
) context.Context {
	if v == nil {
		return ctx
	}
	v.plan = plan
	v.end = pace.Every(time.Second, func() {
		now := time.Now()
		if f := v.course.Step(now); text != nil {
			text(frameLine(f))
		}
		v.publish(now)
	})
	return machine.WithMeter(ctx, &v.meter)
}

func (v *View) publish(now time.Time) {
	for _, second := range v.seconds.Step(now) {
		v.stream.Write(second)
		v.export.Record(second)
	}
}

// stop returns the errors of the export and of the stream, which it ends with a last line.
func (v *View) stop(e live.Totals) (export, stream error) {
	if v == nil || v.closed {
		return nil, nil
	}
	v.closed = true
	v.end()
	v.publish(time.Now())
	if v.stream != nil {
		stream = v.of.Named(files.Named(v.of.Path, v.stream.End(e)))
	}
	return v.export.End(), stream
}

// report returns nil if there is no report.
func (v *View) close(report func() (io.ReadCloser, error)) error {
	if v == nil || v.server == nil {
		return nil
	}
	server := v.server
	v.server = nil
	return server.Close(report)
}

// frameLine returns "" between two runs.
func frameLine(f live.Frame) string {
	if f.Rate == nil {
		return ""
	}
	words := []string{text.Rate(*f.Rate)}
	if f.P50 != nil {
		words = append(words, "p50 "+text.Seconds(*f.P50))
	}
	if f.P99 != nil {
		words = append(words, "p99 "+text.Seconds(*f.P99))
	}
	if f.InFlight != nil && f.Limit > 0 {
		words = append(words, fmt.Sprintf("%d of %d in flight", *f.InFlight, f.Limit))
	} else if f.InFlight != nil {
		words = append(words, fmt.Sprintf("%d in flight", *f.InFlight))
	}
	others := uint64(0)
	for o, n := range f.Others {
		if machine.Outcome(o) != machine.Completed {
			others += n
		}
	}
	if others > 0 {
		words = append(words, fmt.Sprintf("%d not completed", others))
	}
	return strings.Join(words, ", ")
}
