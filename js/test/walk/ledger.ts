/** What one actor has, as far as it has said so. */

import type { Act, CallAct } from './acts.ts';

export interface Entry {
  act: CallAct;
  pending: boolean;
  /** It was told to abort. */
  aborted: boolean;
  token: 'none' | 'live' | 'lost';
  returned: boolean;
  /** The callback of a lock was called and has not ended. */
  called: boolean;
  /** Why what it held is lost. */
  lost: string | undefined;
  /** What it was resolved or rejected with. */
  outcome: string | undefined;
}

export interface Running {
  act: CallAct;
  state: 'running' | 'made' | 'stopping';
  aborted: boolean;
  /** It ends, as it was told or by itself. */
  told: boolean;
}

export class Ledger {
  readonly calls = new Map<number, Entry>();
  readonly runs = new Map<string, Running>();
  told(act: Act): void {
    if (act.do === 'call') {
      this.calls.set(act.call, {
        act, pending: true, aborted: false, token: 'none', returned: false, called: false, lost: undefined,
        outcome: undefined,
      });
    } else if (act.do === 'finish') {
      const callback = this.calls.get(Number(act.run));
      if (callback?.called) {
        callback.called = false;
        if (callback.token !== 'none') callback.returned = true;
        return;
      }
      const run = this.runs.get(act.run);
      if (run !== undefined) run.told = true;
    } else if (act.do === 'abort') this.calls.get(act.call)!.aborted = true;
    else this.calls.get(act.call)!.returned = true;
  }

  heard(event: string): void {
    const [first, word, ...rest] = event.split(' ');
    if (first === 'run') return this.#heardOfRun(word!, rest);
    const entry = this.calls.get(Number(first))!;
    switch (word) {
      case 'resolved':
      case 'rejected':
        entry.pending = false;
        entry.outcome = [word, ...rest].join(' ');
        if (entry.act.kind === 'webLock') entry.token = 'none';
        break;
      case 'holds':
        entry.pending = false;
        entry.token = 'live';
        break;
      case 'called':
        entry.called = true;
        if (rest[0] === 'with') entry.token = 'live';
        break;
      case 'lost':
        entry.token = 'lost';
        entry.lost = rest[0];
        break;
      case 'released':
        entry.token = 'none';
        break;
    }
  }

  #heardOfRun(name: string, [what, , how]: string[]): void {
    if (what === undefined) {
      const { act } = this.calls.get(Number.parseInt(name, 10))!;
      this.runs.set(name, { act, state: 'running', aborted: false, told: act.prompt !== undefined });
      return;
    }
    const run = this.runs.get(name)!;
    const lives = run.act.kind === 'pool' || run.act.kind === 'resource';
    if (what === 'aborted') {
      run.aborted = true;
      if (run.act.heeds) run.told = true;
    } else if (what === 'stopped' || what === 'ended' && (how === 'error' || !lives)) {
      this.runs.delete(name);
    } else {
      run.state = what === 'ended' ? 'made' : 'stopping';
      run.told = what === 'stopping' && run.act.prompt !== undefined;
    }
  }
}
