package compare

import (
	"io"
	"slices"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteJSON writes a comparison as one JSON object:
//
//	{
//	  "format": "poolbench compare", "version": 1,
//	  "columns": ["old.txt", "new.txt"],
//	  "columnKeys": [{".file": "old.txt"}, …],// by column
//	  "alpha": 0.05, "confidence": 0.95,
//	  "config": {"goos": "linux", …},         // shared by all runs
//	  "tables": [{
//	    "key": {"pkg": "…"},                  // may be empty
//	    "unit": "sec/op",                     // tidied
//	    "better": "lower" | "higher" | "",    // "": unknown
//	    "base": "old.txt",                    // compared with the other columns
//	    "rows": [{
//	      "benchmark": "Run/strategy=…",
//	      "base": "semaphore",                // if it is not the table's
//	      "cells": [{                         // by column; null if the benchmark is missing
//	        "n": 10, "values": […],           // ascending
//	        "center": 1.2e-6, "low": 1.1e-6, "high": null,   // null: unbounded
//	        "uncertain": 0.48,              // 95 % error, if above 0.25; null: unlimited
//	        "verdict": "SUSPECT",           // or INVALID; else absent
//	        "reasons": ["too short: …"],    // of the verdict
//	        "versus": {                       // absent in the base, and if either is missing
//	          "p": 0.001, "significant": true,   // p null: a single pair that differs
//	          "ratio": 1.05,                  // of the centres, or the mean of pairs; null: infinite
//	          "equal": true,                  // all values, or all pairs; else absent
//	          "pairs": 5,                     // absent if not paired
//	          "low": 1.04, "high": 1.06,      // of pairs: interval of the ratio or difference
//	          "difference": 0.02,             // of pairs of shares or zeros
//	          "change": "worse",              // or better, differs (no direction), "" (not significant), INVALID (not judged)
//	          "verdict": "SUSPECT"            // the worse one of both cells
//	        },
//	        "warnings": ["…"]
//	      }, …]
//	    }, …],
//	    "geomean": [{"center": 1e-6 | null, "ratio": 1.02 | null, "warnings": […]}, …]   // by column
//	  }, …],
//	  "missing": [{"benchmark": "…", "unit": "" | "sec/op", "column": "new.txt"}, …],
//	  "varying": [{"key": "cpu", "values": [["a"], ["b"]]}, …],                          // by column
//	  "tasks": [{"benchmark": "…", "column": "…", "base": "…", "pairs": 5, "tasks": 90000,
//	    "later": 0.7, "earlier": 0.1, "equal": 0.2, "meanSec": 1e-4, "p99Sec": 2e-3,
//	    "onlyBase": 0, "onlyHere": 0}, …],    // for virtual runs
//	  "parts": [{"benchmark": "…", "column": "…", "base": "…", "pairs": 5,
//	    "all": {"tasks": 90000, "responseNs": 9e9, "partsNs": {"lag": 0, "blocked": 0, …}},
//	    "tail": {…},                          // tasks at or above either p99
//	    "p99Sec": 0.096,                      // difference, mean of the pairs
//	    "onlyBase": 0, "onlyHere": 0, "tailUnpaired": 0, // completed on one side only
//	    "most": {"tasks": 80, "bursts": 1, "share": 1, "fromSec": 12.3, "untilSec": 12.7} // makes up 90 % of the tail's difference
//	  }, …],                                  // for recorded parts
//	  "doubts": ["SUSPECT (too short): …"],   // why runs are not VALID
//	  "warnings": ["…"]
//	}
func WriteJSON(w io.Writer, c *Comparison) error {
	out := jsonComparison{
		Head: text.NewHead("compare"), Columns: c.Columns, ColumnKeys: []map[string]string{},
		Alpha: c.Alpha, Confidence: c.Confidence, Config: pairMap(c.Config), Tables: []jsonTable{},
		Missing: append([]Missing{}, c.Missing...), Varying: append([]Variation{}, c.Varying...),
		Doubts: text.JSONList(c.DoubtLines()), Warnings: text.JSONList(c.Warnings), Tasks: c.Tasks,
		Parts: c.Parts,
	}
	for _, keys := range c.ColumnKeys {
		out.ColumnKeys = append(out.ColumnKeys, pairMap(keys))
	}
	for i := range c.Tables {
		out.Tables = append(out.Tables, c.Tables[i].json(c.Columns))
	}
	return text.WriteJSON(w, out)
}

type jsonComparison struct {
	text.Head
	Columns    []string            `json:"columns"`
	ColumnKeys []map[string]string `json:"columnKeys"`
	Alpha      float64             `json:"alpha"`
	Confidence float64             `json:"confidence"`
	Config     map[string]string   `json:"config"`
	Tables     []jsonTable         `json:"tables"`
	Missing    []Missing           `json:"missing"`
	Varying    []Variation         `json:"varying"`
	Tasks      []TaskDifference    `json:"tasks,omitempty"`
	Parts      []ColumnDifference  `json:"parts,omitempty"`
	Doubts     []string            `json:"doubts"`
	Warnings   []string            `json:"warnings"`
}

type jsonTable struct {
	Key     map[string]string `json:"key"`
	Unit    string            `json:"unit"`
	Better  results.Direction `json:"better"`
	Base    string            `json:"base"`
	Rows    []jsonRow         `json:"rows"`
	Geomean []jsonGeomean     `json:"geomean"`
}

type jsonRow struct {
	Benchmark string      `json:"benchmark"`
	Base      string      `json:"base,omitempty"`
	Cells     []*jsonCell `json:"cells"`
}

type jsonCell struct {
	N      int       `json:"n"`
	Values []float64 `json:"values"`
	Center float64   `json:"center"`
	Low    *float64  `json:"low"`
	High   *float64  `json:"high"`

	Uncertain results.Number `json:"uncertain,omitzero"`
	Verdict   string         `json:"verdict,omitempty"`
	Reasons   []string       `json:"reasons,omitempty"`

	Versus   *jsonVersus `json:"versus,omitempty"`
	Warnings []string    `json:"warnings"`
}

type jsonVersus struct {
	P           *float64 `json:"p"`
	Significant bool     `json:"significant"`
	Ratio       *float64 `json:"ratio"`
	Change      string   `json:"change"`
	Equal       bool     `json:"equal,omitempty"`
	Pairs       int      `json:"pairs,omitempty"`
	Low         *float64 `json:"low,omitempty"`
	High        *float64 `json:"high,omitempty"`
	Difference  *float64 `json:"difference,omitempty"`
	Verdict     string   `json:"verdict,omitempty"`
}

type jsonGeomean struct {
	Center   *float64 `json:"center"`
	Ratio    *float64 `json:"ratio"`
	Warnings []string `json:"warnings"`
}

// Exact values always have p = 0.
func (t *Table) significant(base, cell *Cell) bool {
	if t.Exact && constant(base.Sample.Values) && constant(cell.Sample.Values) {
		return base.Summary.Center != cell.Summary.Center
	}
	return cell.p() <= cell.Versus.Alpha
}

func (t *Table) json(columns []string) jsonTable {
	out := jsonTable{Key: pairMap(t.Key), Unit: t.Unit, Better: results.Direction(t.Better),
		Base: columns[t.Base]}
	for _, row := range t.Rows {
		cells := make([]*jsonCell, len(row.Cells))
		for i, cell := range row.Cells {
			if cell == nil {
				continue
			}
			cells[i] = &jsonCell{
				N: len(cell.Sample.Values), Values: cell.Sample.Values,
				Center: cell.Summary.Center, Low: text.JSONNumber(cell.Summary.Lo),
				High:     text.JSONNumber(cell.Summary.Hi),
				Warnings: messages(cell.Sample.Warnings, cell.Summary.Warnings),
			}
			if share, ok := cell.runs.Uncertain(t.Unit); ok {
				cells[i].Uncertain = results.Number(share)
			}
			if d := cell.doubted; d != nil {
				cells[i].Verdict = d.Mark()
				cells[i].Reasons = text.Texts(d.Why, func(why results.Doubt) string {
					return why.Text
				})
			}
			if v := cell.Versus; v != nil {
				f := facet{t, &row, i}
				versus := &jsonVersus{P: text.JSONNumber(cell.p()), Verdict: f.doubt().Mark(),
					Significant: f.judged() && t.significant(row.Cells[row.Base], cell),
					Ratio:       text.JSONNumber(f.ratio()), Change: t.Change(&row, i),
					Equal: f.equal()}
				if p := cell.paired; p == nil {
					cells[i].Warnings = append(cells[i].Warnings, messages(v.Warnings)...)
				} else {
					versus.Pairs, versus.Low, versus.High = p.N, text.JSONNumber(p.Lo),
						text.JSONNumber(p.Hi)
					if !p.Ratios {
						versus.Difference = text.JSONNumber(p.Mid)
					}
				}
				cells[i].Versus = versus
			}
		}
		of := jsonRow{Benchmark: row.Name, Cells: cells}
		if row.Base != t.Base {
			of.Base = columns[row.Base]
		}
		out.Rows = append(out.Rows, of)
	}
	for _, g := range t.Geomean {
		out.Geomean = append(out.Geomean, jsonGeomean{text.JSONNumber(g.Center),
			text.JSONNumber(g.Ratio), messages(g.Warnings)})
	}
	return out
}

func messages(lists ...[]error) []string {
	return text.JSONList(text.Texts(slices.Concat(lists...), error.Error))
}

func pairMap(pairs []results.Pair) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		if p.Value != "" {
			m[p.Key] = p.Value
		}
	}
	return m
}

func constant(ascending []float64) bool { return ascending[0] == ascending[len(ascending)-1] }
