package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListenFallsBackToAFreePort(t *testing.T) {
	first, url, err := listen("localhost:0")
	require.NoError(t, err)
	defer first.Close()
	require.Regexp(t, `^http://localhost:[1-9]\d*/$`, url)

	taken := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	second, other, err := listen(taken)
	require.NoError(t, err)
	defer second.Close()
	require.Regexp(t, `^http://localhost:[1-9]\d*/$`, other)
	require.NotEqual(t, url, other)
}

func TestListenRejectsWhatIsNoAddress(t *testing.T) {
	_, _, err := listen("localhost")
	require.Error(t, err)
	_, _, err = listen("localhost:99999")
	require.Error(t, err)
}
