//go:build !js

package browser_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// planted is a table with a row that is met, one that is over its budget, a floor, and a peer that failed.
func planted() *table {
	at := func(name string, times ...float64) took {
		side := took{Name: name}
		for _, t := range times {
			if t == 0 {
				side.Times = append(side.Times, nil)
			} else {
				side.Times = append(side.Times, &t)
			}
		}
		return side
	}
	var t table
	t.add("races", against("work", "ms", []took{
		at("clca", 2, 4, 6), at("slow", 8, 0, 0), at("fast", 1, 2, 3), at("floor", 1, 1, 1),
		{Name: "gone", Error: "no such peer"},
	}, library(1))...)
	t.add("others", fixed("size; against another", "KB", 3, 2, 1.5), failed("what hung", errors.New("no answer"), 1))
	return &t
}

func TestTheTableSaysWhatIsOverItsBudgetAndWhatFailed(t *testing.T) {
	var out bytes.Buffer
	planted().print(&out)
	require.Regexp(t, `(?s)races\n.*`+
		`ours +unit +slow +fast +floor +gone +ratio to each\n`+
		` *4\.00 +ms +0\.250 +2\.00 OVER +4\.00 +FAILED +work\n`+
		` +FAILED +work; against gone: no such peer\n.*`+
		`others\n.*`+
		` 3\.00 +2\.00 +KB +1\.50 +1\.50 +size; against another\n`+
		`.* FAILED +what hung\n`+
		` +FAILED +what hung: no answer\n.*`+
		`3 of 6 rows over their budget, or failed\n`, out.String())
}

func TestTheRowsAsJSONHaveNullForWhatThereIsNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.json")
	t.Setenv("JSON", file)
	require.NoError(t, planted().report(&bytes.Buffer{}))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Len(t, rows, 6)
	for _, row := range rows {
		for _, key := range []string{"name", "ours", "theirs", "unit", "ratio", "budget"} {
			require.Contains(t, row, key)
		}
	}
	require.Equal(t, "work; against fast", rows[1]["name"])
	require.Equal(t, 2.0, rows[1]["ratio"])
	require.Equal(t, 1.0, rows[1]["budget"])
	require.Nil(t, rows[2]["budget"])
	require.Nil(t, rows[3]["ratio"])
	require.Equal(t, "no such peer", rows[3]["error"])
}
