/** The client alone, for realms that only connect: `connect`, without what starts a hub. */

export { connect, type Connectable, type ConnectOptions } from './connect.ts';
export { Hub, type AttachOptions, type HubStats } from './hub.ts';
export type { Attachable, Attachment, NodeWorker } from './attach.ts';
export type { AcquireOptions, BlockOptions, ReconnectOptions, WaitOptions } from './options.ts';
export type { Signal, SignalStats } from './signal.ts';
export type { Checkpoint, CheckpointStats } from './checkpoint.ts';
export type { SharedTask, SharedTaskStats } from './shared-task.ts';
export type { Ref, ResourceFunctions, SharedResource, SharedResourceStats } from './shared-resource.ts';
export type { Guard, LockStats } from './lock-base.ts';
export type { Lock } from './lock.ts';
export type { ReentrantLock, ReentrantOptions } from './reentrant-lock.ts';
export type { RWLock, RWLockOptions } from './rwlock.ts';
export type {
  LockManager, WebLock, WebLockCallback, WebLockInfo, WebLockOptions, WebLockSnapshot,
} from './web-locks.ts';
export type { Permit, PermitOptions, Semaphore, SemaphoreStats } from './semaphore.ts';
export type { Event, EventStats } from './event.ts';
export type { Condition, ConditionStats } from './condition.ts';
export type { Barrier, BarrierStats } from './barrier.ts';
export type { CountdownLatch, LatchStats } from './latch.ts';
export type { PutOptions, Queue, QueueOptions, QueueStats } from './queue.ts';
export type { ClosedPool, Leak, Lease, Outstanding, Pool, PoolOptions, PoolStats } from './pool.ts';
export type { Once } from './once.ts';
export type { Token } from './token.ts';
export type { AnsweredStep, CallId, CallStep, Cause, HeldStep, SessionStep, Step, TakenStep, Trace } from './trace.ts';
export {
  AlreadyArmedError, BrokenBarrierError, ClcaError, ClosedError, DeniedError, DisarmedError, HubLostError, LimitError, LoadError, MismatchError,
  NoConsumersError, NotOwnerError, OverReleaseError, OwnerLostError, StolenError, SuspendedError, TooLargeError,
  UnsupportedError, VersionError,
} from './errors.ts';
