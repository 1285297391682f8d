// Generated from wasm/hub/abi/abi.go, where each name is explained. Do not edit: go generate ./wasm/hub/abi

export const Version = 1;
export const WindowEntries = 1024;
export const EntryWords = 4;
export const CallWords = 4;
export const MaxNames = 1024;
export const CountMask = 65535;
export const Pump = 65536;
export const Busy = 131072;
export const Refused = 262144;

export const enum Kind {
  Signal = 0,
  Checkpoint = 1,
  Task = 2,
  Resource = 3,
  Denied = 4,
}

export const enum Op {
  End = 0,
  Bind = 1,
  Forget = 2,
  Finish = 3,
  HubStats = 4,
  Wait = 5,
  Signal = 6,
  Arm = 7,
  Resume = 8,
  Disarm = 9,
  Acquire = 10,
  Close = 11,
  Stats = 12,
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
  Part = 8,
  Run = 9,
  Stop = 10,
  Cancel = 11,
  Over = 12,
  Free = 13,
  Gone = 14,
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
  Unsupported = 8,
}
