// Package abi holds the numbers on which the Go side and the JavaScript side of a hub agree: operations, statuses, error
// codes and the layout of the completion window. js/src/abi.ts is generated from this file; a test compares them.
package abi

//go:generate go test -run TestTypeScript -update

// Version is raised whenever anything in this file, or in the messages between realms, changes its meaning.
const Version = 4

// The completion window is an array of WindowEntries entries of EntryWords words: session, call, Status, value.
const (
	WindowEntries = 1024
	EntryWords    = 4
)

// A call message is an array of CallWords words: Op, name, call, argument, priority.
const CallWords = 5

// Unsaid is the creation argument of a name that agrees with every other.
const Unsaid = 1<<32 - 1

// The creation argument of a queue is its capacity, or QueueUnbounded, and above it a QueueOrder.
const (
	QueueUnbounded  = 1<<28 - 1
	QueueOrderShift = 28
)

// ItemNumbers is the first number of a payload that is an item of a queue; those below are of runs.
const ItemNumbers = 1 << 31

// HeldAbandoned says that a lock was held by a session that ended, before it was granted.
const HeldAbandoned = 1

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
	// PumpFirst says, with Pump, that nothing else is to be asked of the program before that.
	PumpFirst = 1 << 19
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
	KindLock
	KindReentrantLock
	KindRWLock
	KindSemaphore
	KindEvent
	KindCondition // its name is that of its lock and its own; the creation argument is the length of the former
	KindBarrier
	KindLatch
	KindQueue
	KindPool
	KindOnce
	KindDenied // of a name that the session may not use
)

// Op is what a call asks for.
type Op uint32

// The operations. Those up to OpForget are of the session; all others are of the primitive that the name is bound to.
const (
	// OpEnd ends the call in whatever state it is: it withdraws a wait and gives back what is held. The argument is an
	// Ending.
	OpEnd Op = iota
	// OpBind binds a name index to a name; the name travels beside the array. The call is the Kind, the argument that of
	// the primitive's creation.
	OpBind
	// OpForget unbinds all name indices.
	OpForget
	// OpFinish ends a run of the caller: the argument is the run, the call an Outcome. Its payload travels beside.
	OpFinish
	// OpHubStats asks for the numbers of the whole hub.
	OpHubStats
	// OpQuery asks who holds and who waits for every RWLock.
	OpQuery
	// OpReported says that the session has taken back all that it held of the hub before this one.
	OpReported

	// Signal, Checkpoint, Event, Latch: the argument is for how many callers more; Task, Once, Barrier; Condition: the argument
	// is the call that holds the lock.
	OpWait
	OpSignal    // Signal
	OpArm       // Checkpoint
	OpResume    // Checkpoint
	OpDisarm    // Checkpoint
	OpAcquire   // Resource, Pool; Lock, ReentrantLock; RWLock: a LockMode; Semaphore: how many permits; Queue: it stays in use
	OpTry       // as OpAcquire where that need not wait; StatusDone if it had to
	OpSteal     // Lock, RWLock
	OpReenter   // ReentrantLock: the argument is a call that holds it
	OpTest      // Lock, ReentrantLock, RWLock: is it locked? Event: set? Barrier: broken? Once: done?
	OpResize    // Semaphore: the argument is the new size
	OpSet       // Event
	OpClear     // Event
	OpNotify    // Condition: the argument is how many
	OpCountDown // Latch: the argument is how much
	OpReset     // Barrier
	OpPut       // Queue: the argument is the number of the item, which travels beside
	OpTryPut    // Queue: as OpPut where that need not wait; the result says whether it was put
	OpGet       // Queue
	OpTryGet    // Queue: as OpGet where that need not wait; StatusDone if it had to
	OpTaskDone  // Queue
	OpJoin      // Queue
	OpCloseNow  // Queue: as OpClose; what was in it is told by StatusItem
	OpReplace   // Pool: the argument is a call that holds a lease, whose resource is of no use
	OpEvict     // Pool: the argument is the run of a resource that has been idle for long enough
	OpClose     // all
	OpStats     // all

	// Those who come from a lost hub say what they have of it, before OpReported.

	OpRetake // Lock, ReentrantLock, RWLock: it is held; the argument is a LockMode, the priority the rank. Semaphore: so many permits are. Checkpoint: it is armed, and holds those who come
	OpOccupy // Task, Once, Resource, Pool: something of it is still running; StatusHeld, until it is not

	OpTake  // Queue: as OpGet, for a session that cannot miss the answer: StatusResult, and the item is its own
	OpWatch // Checkpoint: waits for StatusArmed; whatever the argument is comes back with it
)

// Ending says what becomes of that which an ended call holds.
type Ending uint32

// The endings.
const (
	EndingBack    Ending = iota // given back
	EndingKept                  // an item of a queue: taken for good
	EndingDiscard               // a lease of a pool: given back for its resource to be unmade
	EndingUnused                // given back by one who never knew of it
	EndingGone                  // the session has ended
)

// LockMode says how a lock is held.
type LockMode uint32

// The modes.
const (
	LockModeExclusive LockMode = iota
	LockModeShared
)

// QueueOrder says which item of a queue is the next.
type QueueOrder uint32

// The orders.
const (
	QueueOrderFifo QueueOrder = iota
	QueueOrderLifo
	QueueOrderPriority
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

	// StatusHeld: granted, and held until OpEnd; value is the generation of an arm, and of a lock its rank above a bit
	// that is HeldAbandoned.
	StatusHeld
	// StatusLent: granted, and held until OpEnd; value is the run or item whose payload it is.
	StatusLent
	// StatusLost: what the call holds is not to be relied on any longer; value is a Code.
	StatusLost
	// StatusItem: value is an item, one of several that the answer brings.
	StatusItem
	// StatusPart: half a number of a longer answer, low word first.
	StatusPart
	// StatusRun: begin the function that the call brought; value is the run. It ends with OpFinish.
	StatusRun
	// StatusStop: unmake what the run made. It ends with OpFinish.
	StatusStop
	// StatusCancel: ask the run to end; the call is a Code that says why.
	StatusCancel
	// StatusIdle: nobody uses what the run made.
	StatusIdle
	// StatusOver: nobody will be told of the run any more; forget what you kept of it.
	StatusOver

	// StatusFree is for the hub's realm: the payload of the run or item is not needed any longer.
	StatusFree
	// StatusGone is for the hub's realm: the session has ended.
	StatusGone

	// StatusArmed ends a watch: the checkpoint was armed, or closed. The value is the argument.
	StatusArmed
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
	CodeTooLarge
	CodeOverRelease
	CodeBroken
	CodeStolen
	CodeMismatch // the creation argument that was said first came before, as a StatusPart
	CodeUnsupported
)
