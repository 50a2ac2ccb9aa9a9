package idemtest_test

import "testing"

// This file runs the example of Crash, which needs a test to run in.

func TestCrash_ItsExamplePasses(t *testing.T) { testCharge(t) }
