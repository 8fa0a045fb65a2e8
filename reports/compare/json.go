package compare

import (
	"io"
	"slices"

	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/samples"
	"github.com/poolbench/poolbench/reports/results"
)

// version is that of the JSON. Fields may be added within a version; none changes its
// meaning.
const version = 1

// WriteJSON writes a comparison as one JSON object:
//
//	{
//	  "format": "poolbench compare", "version": 1,
//	  "columns": ["old.txt", "new.txt"],
//	  "columnKeys": [{".file": "old.txt"}, …],// by column: what it stands for
//	  "alpha": 0.05, "confidence": 0.95,
//	  "config": {"goos": "linux", …},         // what all runs share
//	  "tables": [{
//	    "key": {"pkg": "…"},                  // may be empty
//	    "unit": "sec/op",                     // tidied
//	    "better": "lower" | "higher" | "",    // "": not known
//	    "base": "old.txt",                    // the column that the others are compared with
//	    "rows": [{
//	      "benchmark": "Run/strategy=…",
//	      "cells": [{                         // by column; null where the benchmark is missing
//	        "n": 10, "values": […],           // ascending
//	        "center": 1.2e-6, "low": 1.1e-6, "high": null,   // null: the interval has no such end
//	        "versus": {                       // absent in the base, and where either is missing
//	          "p": 0.001, "significant": true,
//	          "ratio": 1.05,                  // of the centres; null when the base is 0 and this is not
//	          "change": "worse"               // better, worse, differs (no direction), "" (not significant, or by centres that are equal)
//	        },
//	        "warnings": ["…"]
//	      }, …]
//	    }, …],
//	    "geomean": [{"center": 1e-6 | null, "ratio": 1.02 | null, "warnings": […]}, …]   // by column
//	  }, …],
//	  "missing": [{"benchmark": "…", "unit": "" | "sec/op", "column": "new.txt"}, …],
//	  "varying": [{"key": "cpu", "values": [["a"], ["b"]]}, …],                          // by column
//	  "warnings": ["…"]
//	}
func WriteJSON(w io.Writer, c *Comparison) error {
	out := jsonComparison{
		Format: "poolbench compare", Version: version,
		Columns: c.Columns, ColumnKeys: []map[string]string{}, Alpha: c.Alpha,
		Confidence: c.Confidence,
		Config:     pairMap(c.Config), Tables: []jsonTable{},
		Missing: append([]Missing{}, c.Missing...), Varying: append([]Variation{}, c.Varying...),
		Warnings: jsondoc.List(c.Warnings),
	}
	for _, keys := range c.ColumnKeys {
		out.ColumnKeys = append(out.ColumnKeys, pairMap(keys))
	}
	for i := range c.Tables {
		out.Tables = append(out.Tables, c.Tables[i].json(c.Columns))
	}
	return jsondoc.Write(w, out)
}

type jsonComparison struct {
	Format     string              `json:"format"`
	Version    int                 `json:"version"`
	Columns    []string            `json:"columns"`
	ColumnKeys []map[string]string `json:"columnKeys"`
	Alpha      float64             `json:"alpha"`
	Confidence float64             `json:"confidence"`
	Config     map[string]string   `json:"config"`
	Tables     []jsonTable         `json:"tables"`
	Missing    []Missing           `json:"missing"`
	Varying    []Variation         `json:"varying"`
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
	Cells     []*jsonCell `json:"cells"`
}

type jsonCell struct {
	N        int         `json:"n"`
	Values   []float64   `json:"values"`
	Center   float64     `json:"center"`
	Low      *float64    `json:"low"`
	High     *float64    `json:"high"`
	Versus   *jsonVersus `json:"versus,omitempty"`
	Warnings []string    `json:"warnings"`
}

type jsonVersus struct {
	P           float64  `json:"p"`
	Significant bool     `json:"significant"`
	Ratio       *float64 `json:"ratio"`
	Change      string   `json:"change"`
}

type jsonGeomean struct {
	Center   *float64 `json:"center"`
	Ratio    *float64 `json:"ratio"`
	Warnings []string `json:"warnings"`
}

// significant says whether a cell differs from the base. Exact values have a p of 0, whether they
// do or not.
func (t *Table) significant(base, cell *Cell) bool {
	if t.Exact && constant(base.Sample.Values) && constant(cell.Sample.Values) {
		return base.Summary.Center != cell.Summary.Center
	}
	return cell.Versus.P <= cell.Versus.Alpha
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
				Center: cell.Summary.Center, Low: jsondoc.Finite(cell.Summary.Lo),
				High:     jsondoc.Finite(cell.Summary.Hi),
				Warnings: messages(cell.Sample.Warnings, cell.Summary.Warnings),
			}
			if v := cell.Versus; v != nil {
				cells[i].Warnings = append(cells[i].Warnings, messages(v.Warnings)...)
				cells[i].Versus = &jsonVersus{
					P: v.P, Significant: t.significant(row.Cells[t.Base], cell),
					Ratio: jsondoc.Finite(samples.Ratio(row.Cells[t.Base].Summary.Center,
						cell.Summary.Center)), Change: t.Change(&row, i),
				}
			}
		}
		out.Rows = append(out.Rows, jsonRow{row.Name, cells})
	}
	for _, g := range t.Geomean {
		out.Geomean = append(out.Geomean, jsonGeomean{jsondoc.Finite(g.Center),
			jsondoc.Finite(g.Ratio), messages(g.Warnings)})
	}
	return out
}

func messages(lists ...[]error) []string {
	out := []string{}
	for _, err := range slices.Concat(lists...) {
		out = append(out, err.Error())
	}
	return out
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
