package core_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the tests if they, or what they test, leave a goroutine behind.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent")) // with GOOS=js it is always there
}
