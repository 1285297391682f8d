// Package abi holds the numbers on which the Go side and the JavaScript side of a hub agree: operations, statuses, error
// codes and the layout of the completion window. js/src/abi.ts is generated from this file; a test compares them.
package abi

//go:generate go test -run TestTypeScript -update

// Version is raised whenever anything in this file, or in the messages between realms, changes its meaning.
const Version = 1

// The completion window is an array of WindowEntries entries of EntryWords words: session, call, Status, value.
const (
	WindowEntries = 1024
	EntryWords    = 4
)

// A call message is an array of CallWords words: Op, name, call, argument.
const CallWords = 4

// MaxNames is how many names a session can have bound at a time. Binding is a cache: a client that has used up its
// indices forgets them all.
const MaxNames = 1024

// What an exported function returns: the number of entries now in the window, and these flags.
const (
	// CountMask is the part that holds the number of entries. If it is WindowEntries there may be more: drain.
	CountMask = 1<<16 - 1
	// Pump says that goroutines were made ready: resume Go once, soon.
	Pump = 1 << 16
	// Busy says that nothing was done because a goroutine is inside the hub: resume Go, then call again.
	Busy = 1 << 17
	// Refused says that nothing was done because the call makes no sense, now or ever.
	Refused = 1 << 18
)

// Kind is a kind of primitive. Each has its own names.
type Kind uint32

// The kinds.
const (
	KindSignal Kind = iota
	KindCheckpoint
	KindTask
	KindResource
	KindDenied // of a name that the session may not use
)

// Op is what a call asks for.
type Op uint32

// The operations. Those up to OpForget are of the session; all others are of the primitive that the name is bound to.
const (
	// OpEnd ends the call in whatever state it is: it withdraws a wait and gives back what is held.
	OpEnd Op = iota
	// OpBind binds a name index to a name; the name travels beside the array. The argument is the Kind.
	OpBind
	// OpForget unbinds all name indices.
	OpForget
	// OpFinish ends a run of the caller: the argument is the run, the call an Outcome. Its payload travels beside.
	OpFinish
	// OpHubStats asks for the numbers of the whole hub.
	OpHubStats

	OpWait    // Signal, Checkpoint, Task
	OpSignal  // Signal
	OpArm     // Checkpoint
	OpResume  // Checkpoint
	OpDisarm  // Checkpoint
	OpAcquire // Resource
	OpClose   // all
	OpStats   // all
)

// Status is what a completion tells a call, or its session.
type Status uint32

// The statuses. StatusDone to StatusEnded are final: the call's slot is free again.
const (
	// StatusDone: succeeded; value is the result.
	StatusDone Status = iota
	// StatusFail: failed; value is a Code.
	StatusFail
	// StatusResult: a run succeeded; value is the run, whose payload is the result.
	StatusResult
	// StatusReject: a run failed; value is the run, whose payload is the error.
	StatusReject
	// StatusEnded: ended as asked by OpEnd, or what it held has lapsed.
	StatusEnded

	// StatusHeld: granted, and held until OpEnd; value is the generation.
	StatusHeld
	// StatusLent: granted, and held until OpEnd; value is the run whose payload it is.
	StatusLent
	// StatusLost: what the call holds is not to be relied on any longer; value is a Code.
	StatusLost
	// StatusPart: half a number of a longer answer, low word first.
	StatusPart
	// StatusRun: begin the function that the call brought; value is the run. It ends with OpFinish.
	StatusRun
	// StatusStop: unmake what the run made. It ends with OpFinish.
	StatusStop
	// StatusCancel: ask the run to end; the call is a Code that says why.
	StatusCancel
	// StatusOver: nobody will be told of the run any more; forget what you kept of it.
	StatusOver

	// StatusFree is for the hub's realm: the payload of the run is not needed any longer.
	StatusFree
	// StatusGone is for the hub's realm: the session has ended.
	StatusGone
)

// Outcome is how a run ended.
type Outcome uint32

// The outcomes.
const (
	OutcomeResult Outcome = iota // with a result, or stopped as it should
	OutcomeError                 // with an error
)

// Code is a reason for a failure.
type Code uint32

// The codes.
const (
	CodeClosed Code = iota
	CodeAlreadyArmed
	CodeDisarmed
	CodeNotOwner
	CodeOwnerLost
	CodeNoConsumers
	CodeLimit
	CodeDenied
	CodeUnsupported
)
