/**
 * Where the items of a queue are, by what the actors of a walk have said: each that was put comes out once, is in the
 * queue, or was lost with a session that may have taken it.
 */

import { equal, ok } from '../assert.ts';
import type { Actor } from './cast.ts';
import type { Ledger } from './ledger.ts';

export class ItemBook {
  /** How many gets were under way in sessions that have ended: each may have taken an item, or said so in vain. */
  #doubtful = 0;
  /** Puts that were under way in those, of which nobody knows. */
  #maybe = new Set<number>();
  /** Somebody left who was about to take out all. */
  #emptied = false;

  /** A session ends, at about this time. */
  left(ledger: Ledger): void {
    for (const { act, pending } of ledger.calls.values()) {
      if (act.kind !== 'queue' || !pending) continue;
      if (act.method === 'get' || act.method === 'tryGet') this.#doubtful++;
      else if (act.method === 'put' || act.method === 'tryPut') this.#maybe.add(act.call);
      else if (act.method === 'closeNow') this.#emptied = true;
    }
  }

  /** So many are in the queue. */
  check(actors: Iterable<Actor>, length: number): void {
    const put = new Set<number>();
    const got: number[] = [];
    let unreadable = 0;
    const moving = new Set<number>();
    for (const { ledger } of actors) {
      for (const { act, outcome } of ledger.calls.values()) {
        if (act.kind !== 'queue' || outcome === undefined) continue;
        const value = outcome.slice('resolved '.length);
        switch (act.method) {
          case 'put':
          case 'tryPut':
            if (act.moves) moving.add(act.call);
            if (outcome === 'resolved nothing' || outcome === 'resolved true') put.add(act.call);
            break;
          case 'get':
          case 'tryGet':
            if (outcome === 'rejected DataCloneError') unreadable++;
            else if (outcome.startsWith('resolved') && value !== 'nothing') got.push(Number(value));
            break;
          case 'closeNow':
            if (outcome.startsWith('resolved') && value !== '') got.push(...value.split(',').map(Number));
            break;
        }
      }
    }
    const taken = new Set(got);
    ok(got.length - taken.size <= this.#doubtful, `${got.length - taken.size} items came twice`);
    const alien = got.filter((each) => !put.has(each) && !this.#maybe.has(each));
    equal(alien, [], 'items that came though they were not put');
    const left = [...put].filter((each) => !taken.has(each)).length;
    const most = left + [...this.#maybe].filter((each) => !put.has(each) && !taken.has(each)).length;
    // One that moved to a realm which went away stays in line, unreadable; a close that takes out all passes it over.
    const lost = this.#emptied ? left : this.#doubtful + unreadable + (this.#doubtful > 0 ? moving.size : 0);
    ok(length <= most && length >= left - lost, `${length} are in the queue, where ${left - lost} to ${most} should be`);
  }
}
