/** One Go program of GOOS=js: the toolchain's class, and of its private members those that the loader uses. */
export declare class Go {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  exited: boolean;
  readonly importObject: WebAssembly.Imports;
  mem: DataView;
  run(instance: WebAssembly.Instance): Promise<void>;

  _inst: WebAssembly.Instance;
  _pendingEvent: { id: number; this: unknown; args?: ArrayLike<unknown>; result?: unknown } | null;
  _makeFuncWrapper(id: number): (this: unknown, ...args: unknown[]) => unknown;
  _resume(): void;
  _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
}
