/** The client alone, for realms that only connect: `connect`, without what starts a hub. */

export { connect, type Connectable } from './connect.ts';
export { Hub, type AttachOptions, type HubStats } from './hub.ts';
export type { Attachable, Attachment, NodeWorker } from './attach.ts';
export type { WaitOptions } from './options.ts';
export type { Signal, SignalStats } from './signal.ts';
export type { Checkpoint, CheckpointStats } from './checkpoint.ts';
export type { SharedTask, SharedTaskStats } from './shared-task.ts';
export type { Ref, ResourceFunctions, SharedResource, SharedResourceStats } from './shared-resource.ts';
export {
  AlreadyArmedError, ClcaError, ClosedError, DeniedError, DisarmedError, HubLostError, LimitError, LoadError,
  NoConsumersError, NotOwnerError, OwnerLostError, SuspendedError, UnsupportedError, VersionError,
} from './errors.ts';
