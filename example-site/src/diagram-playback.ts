/**
 * Up to which moment the diagram shows what happened. At the present that is all there is. Behind it, what was recorded is
 * played: an event comes `pace` times as long after the one before as it really did, or `longest` after it if that is
 * less, so that slow motion does not make anybody wait for those who act seconds apart.
 */

import { lastUpTo } from './diagram-axis.ts';

/** Milliseconds that a gap takes at most when it is played. */
export const longest = 1000;
/** Milliseconds that an event may be late, and yet is played in its turn. */
export const lateness = 50;

export class Playback {
  #playing = true;
  #pace = 1;
  #live = true;
  /** Behind the present: what happened up to here has been played, and for how many milliseconds that is so. */
  #played = 0;
  #since = 0;
  /** How far into the gap after it this has come. */
  #edge = 0;

  get playing(): boolean {
    return this.#playing;
  }

  /** How many times slower than it happened. */
  get pace(): number {
    return this.#pace;
  }

  /** Whether all is shown as soon as it is known. */
  get live(): boolean {
    return this.#live;
  }

  /** The moment up to which to show. */
  edge(now: number): number {
    return this.#live ? now : this.#edge;
  }

  /** Whether something is known that is not shown yet. `times` ascend. */
  isBehind(times: ArrayLike<number>): boolean {
    return !this.#live && times.length > 0 && times[times.length - 1]! > this.#edge;
  }

  pause(now: number): void {
    if (this.#live) this.seek(now);
    this.#playing = false;
  }

  goOn(): void {
    this.#playing = true;
  }

  /** Shows what happened up to then, and goes on from there if it is playing. */
  seek(time: number): void {
    this.#live = false;
    this.#playTo(time, 0);
  }

  toPresent(now: number): void {
    this.#playing = true;
    this.#live = this.#pace === 1;
    this.#playTo(now, longest);
  }

  /** At the present, slow motion begins with what happens next. */
  setPace(pace: number, now: number): void {
    this.#pace = pace;
    if (this.#live) this.toPresent(now);
    else this.#playTo(this.#edge, 0);
  }

  /** Plays for so many milliseconds. */
  advance(passed: number, times: ArrayLike<number>, now: number): void {
    if (this.#live || !this.#playing) return;
    this.#since += passed;
    for (;;) {
      const next = times[lastUpTo(times, this.#played) + 1];
      if (next === undefined || next > now - lateness) return this.#waitForMore(now);
      const gap = next - this.#played;
      const takes = Math.min(gap * this.#pace, longest);
      if (this.#since < takes) {
        this.#edge = this.#played + gap * (this.#since / takes);
        return;
      }
      this.#playTo(next, this.#since - takes);
    }
  }

  #waitForMore(now: number): void {
    if (this.#pace === 1) this.#live = true;
    this.#since = Math.min(this.#since, longest);
    const latest = Math.max(this.#played, now - lateness);
    this.#edge = this.#since < longest ? Math.min(this.#played + this.#since / this.#pace, latest) : latest;
  }

  #playTo(time: number, since: number): void {
    this.#played = this.#edge = time;
    this.#since = since;
  }
}
