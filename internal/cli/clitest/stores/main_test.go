package stores

import (
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
