//go:build race || js

package core_test

// slow is set where a step costs ten times as much: explorations then go one step less deep, hammers strike less often.
const slow = true
