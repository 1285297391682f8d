/** The names on the hub that all lanes share; the Go program has its own copy of the first two. */

export const names = { signal: 'go', checkpoint: 'gate', resource: 'stream' } as const;
