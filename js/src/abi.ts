// Generated from wasm/hub/abi/abi.go, where each name is explained. Do not edit: go generate ./wasm/hub/abi

export const Version = 4;
export const WindowEntries = 1024;
export const EntryWords = 4;
export const CallWords = 5;
export const Unsaid = 4294967295;
export const QueueUnbounded = 268435455;
export const QueueOrderShift = 28;
export const ItemNumbers = 2147483648;
export const HeldAbandoned = 1;
export const MaxNames = 1024;
export const CountMask = 65535;
export const Pump = 65536;
export const Busy = 131072;
export const PumpFirst = 524288;
export const Refused = 262144;

export const enum Kind {
  Signal = 0,
  Checkpoint = 1,
  Task = 2,
  Resource = 3,
  Lock = 4,
  ReentrantLock = 5,
  RWLock = 6,
  Semaphore = 7,
  Event = 8,
  Condition = 9,
  Barrier = 10,
  Latch = 11,
  Queue = 12,
  Pool = 13,
  Once = 14,
  Denied = 15,
}

export const enum Op {
  End = 0,
  Bind = 1,
  Forget = 2,
  Finish = 3,
  HubStats = 4,
  Query = 5,
  Reported = 6,
  Wait = 7,
  Signal = 8,
  Arm = 9,
  Resume = 10,
  Disarm = 11,
  Acquire = 12,
  Try = 13,
  Steal = 14,
  Reenter = 15,
  Test = 16,
  Resize = 17,
  Set = 18,
  Clear = 19,
  Notify = 20,
  CountDown = 21,
  Reset = 22,
  Put = 23,
  TryPut = 24,
  Get = 25,
  TryGet = 26,
  TaskDone = 27,
  Join = 28,
  CloseNow = 29,
  Replace = 30,
  Evict = 31,
  Close = 32,
  Stats = 33,
  Retake = 34,
  Occupy = 35,
  Take = 36,
  Watch = 37,
}

export const enum Ending {
  Back = 0,
  Kept = 1,
  Discard = 2,
  Unused = 3,
  Gone = 4,
}

export const enum LockMode {
  Exclusive = 0,
  Shared = 1,
}

export const enum QueueOrder {
  Fifo = 0,
  Lifo = 1,
  Priority = 2,
}

export const enum Status {
  Done = 0,
  Fail = 1,
  Result = 2,
  Reject = 3,
  Ended = 4,
  Held = 5,
  Lent = 6,
  Lost = 7,
  Item = 8,
  Part = 9,
  Run = 10,
  Stop = 11,
  Cancel = 12,
  Idle = 13,
  Over = 14,
  Free = 15,
  Gone = 16,
  Armed = 17,
}

export const enum Outcome {
  Result = 0,
  Error = 1,
}

export const enum Code {
  Closed = 0,
  AlreadyArmed = 1,
  Disarmed = 2,
  NotOwner = 3,
  OwnerLost = 4,
  NoConsumers = 5,
  Limit = 6,
  Denied = 7,
  TooLarge = 8,
  OverRelease = 9,
  Broken = 10,
  Stolen = 11,
  Mismatch = 12,
  Unsupported = 13,
}
