/** What a call is in words: as one would write it, and what it has brought. */

import type { AnsweredStep } from 'clca/client';
import type { Primitive } from './protocol.ts';

/** What the hub was asked. */
export interface Asked {
  kind?: string | undefined;
  name?: string | undefined;
  op: string;
}

/** What the page asks for by itself, now and then, and what realms keep up for themselves. */
const unshown = ['stats', 'query', 'watch', 'occupy'];

export function isShown({ kind, op }: Asked): boolean {
  return kind !== undefined && !unshown.includes(op);
}

/** Of which primitive it is. */
export function subjectOf({ kind, name }: Partial<Asked> = {}): string {
  return `hub.${kind}(${quoted(name)})`.toLowerCase();
}

/** What is given besides the name to make one. */
const made: Record<string, string> = {
  semaphore: '4', barrier: '3', latch: '3', sharedTask: 'run', once: 'run', sharedResource: 'functions', pool: 'options',
};

/** What those do who make the call, where the hub has another word for it. */
const methods: Record<string, string> = { 'once wait': 'run', 'checkpoint wait': 'wait', 'reentrantLock reenter': 'acquire' };

export function textOf({ kind = '', name, op }: Asked, how: Partial<Record<string, string>> = {}): string {
  const subject = kind === 'condition'
    ? `hub.condition(hub.lock(${quoted(name)}))`
    : `hub.${kind}(${[quoted(name), made[kind] ?? []].flat().join(', ')})`;
  if (op === 'retake') return `${subject}, held on`; // by the realm itself, at a hub that follows a lost one
  return `${subject}.${methods[`${kind} ${op}`] ?? op}(${given(kind, op, how)})`;
}

function given(kind: string, op: string, how: Partial<Record<string, string>>): string {
  if (kind === 'rwlock' && op === 'acquire' && how['rwlock'] === 'shared') return "{ mode: 'shared' }";
  if (kind === 'semaphore' && op === 'acquire' && how['semaphore']) return `{ permits: ${how['semaphore']} }`;
  if (kind === 'condition' && op === 'wait') return 'guard';
  return op === 'put' ? 'item' : '';
}

/** Without what only makes it one of its kind. */
function quoted(name = ''): string {
  return `'${name.replace(/ [0-9a-f]{8}-[0-9a-f-]{27}$/, '')}'`;
}

const primitives: Record<string, Primitive> = { sharedTask: 'task', sharedResource: 'resource', reentrantLock: 'lock' };

export function primitiveIn({ kind = '' }: Asked): Primitive {
  return primitives[kind] ?? (kind as Primitive);
}

/** Those calls that answer with a number, and with yes or no. */
const numbers = ['signal', 'resume', 'notify', 'countDown', 'set'];
const booleans = ['disarm', 'clear', 'test', 'tryPut'];

export function result({ status, value = 0, error }: Pick<AnsweredStep, 'status' | 'value' | 'error'>, asked?: Asked): string {
  switch (status) {
    case 'failed': return error ?? 'it failed';
    case 'rejected': return 'the error of the function';
    case 'ended': return 'AbortError';
    case 'result': return 'the result';
    case 'held': return '';
  }
  const op = asked?.op ?? '';
  return numbers.includes(op) ? String(value) : booleans.includes(op) ? String(value !== 0) : '';
}
