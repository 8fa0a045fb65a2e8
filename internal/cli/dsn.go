package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/poolbench/poolbench/workloads/sql"
)

// useDatabase hands the database of --dsn to the workloads that want one, in the environment, where
// it is no part of a name. One that nothing asks for is a mistake.
func (p plan) useDatabase(dsn string) error {
	if dsn == "" {
		return nil
	}
	for _, s := range p {
		for _, sc := range s.suite.Scenarios {
			if strings.Contains(sc.Workload.String(), "db=postgres") {
				return os.Setenv(sql.DSNVariable, dsn)
			}
		}
	}
	return errors.New("--dsn: no workload is sql_query:db=postgres")
}
