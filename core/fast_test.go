//go:build !race && !js

package core_test

const slow = false
