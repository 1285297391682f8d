/** What the first document does with a Signal, and what becomes of it. */

import type { Scenario } from './scenario.ts';

const allocator = `if is_allocator:
    fut = asyncio.Future()
    shared_fut.add_done_callback(
        lambda _: fut.set_result(None))
else:
    fut = shared_fut`;

export const ofSignal: Scenario[] = [
  {
    id: 'signal-all',
    title: 'Several wait for one event',
    about: 'The example of the document: two workers wait, and a controller wakes them.',
    kind: 'signal',
    acts: [
      { who: 'A', does: 'wait', says: 'A waits.' },
      { who: 'B', does: 'wait', says: 'B waits.' },
      { who: 'page', does: 'signal', says: 'The controller signals.' },
    ],
    ends: 'A and B: woken. Controller: signal() → 2.',
    originals: [{ code: 'Signal', ends: 'A and B: woken.' }],
  },
  {
    id: 'signal-first-leaves',
    title: 'The first to wait leaves',
    about: 'Whoever waits first has made what all the others wait on.',
    kind: 'signal',
    acts: [
      { who: 'A', does: 'wait', says: 'A waits.' },
      { who: 'B', does: 'wait', says: 'B waits too.' },
      { who: 'A', does: 'leave', says: 'A gives up.' },
      { who: 'page', does: 'signal', says: 'The controller signals.' },
    ],
    ends: 'A: left. B: woken. Controller: signal() → 1.',
    originals: [{
      code: 'Signal',
      ends: 'A: left. B: waits for ever.',
      wrong: {
        why: 'A made the shared future, and takes it away as it leaves. B waits on a future that nobody can find any more.',
        rule: 'A waiter’s end touches only itself.',
        lines: `finally:
    if is_allocator:
        async with self._lock:
            if self._shared_future is shared_fut:
                self._shared_future = None`,
      },
    }],
  },
  {
    id: 'signal-second-leaves',
    title: 'A later one leaves',
    about: 'All but the first wait on the shared future itself.',
    kind: 'signal',
    acts: [
      { who: 'A', does: 'wait', says: 'A waits.' },
      { who: 'B', does: 'wait', says: 'B waits too.' },
      { who: 'page', does: 'wait', says: 'The controller waits too.' },
      { who: 'B', does: 'leave', says: 'B gives up. Nobody has signalled yet.' },
      { who: 'page', does: 'signal', says: 'The controller signals.' },
    ],
    ends: 'A: woken. B: left. Controller: woken, then signal() → 2.',
    originals: [{
      code: 'Signal',
      ends: 'A: woken, though nobody signalled. B: left. Controller: CancelledError.',
      wrong: {
        why: 'B awaits the shared future directly, so its cancellation cancels that: A is woken, and the third gets a CancelledError that nobody sent it.',
        rule: 'A waiter’s end touches only itself.',
        lines: allocator,
      },
    }],
  },
  {
    id: 'signal-lost',
    title: 'Wait, and signal at once',
    about: 'One task begins to wait and another signals, in the same breath.',
    kind: 'signal',
    acts: [{ who: 'page', does: 'wait', and: 'signal', says: 'The controller begins a wait, and signals before it does anything else.' }],
    ends: 'Controller: woken, then signal() → 1.',
    originals: [{
      code: 'Signal',
      ends: 'Controller: waits for ever.',
      wrong: {
        why: 'A wait counts only once its task has run and has had the lock. The signal is sent before, and is lost.',
        rule: 'One session’s calls are taken up in the order in which they were made.',
        lines: `async def wait(self) -> None:
    async with self._lock:
        if self._shared_future is None or …:
            self._shared_future = asyncio.Future()`,
      },
    }],
  },
  {
    id: 'signal-and-leave',
    title: 'Signalled and cancelled at once',
    about: 'A leaves in the very turn in which it is signalled.',
    kind: 'signal',
    acts: [
      { who: 'A', does: 'wait', says: 'A waits.' },
      { who: 'A', does: 'signal', says: 'A signal is sent, …' },
      { who: 'A', does: 'leave', says: '… and A gives up at the same moment.', together: true },
    ],
    ends: 'A: left, then signal() → 1.',
    originals: [{
      code: 'Signal',
      ends: 'A: left. Logged: InvalidStateError: invalid state.',
      wrong: {
        why: 'The callback sets a future that is cancelled already. The error reaches no caller, only the loop’s log.',
        rule: 'A waiter is settled once. An abort does it at once, in A’s own realm, and the wake that comes after it is dropped. The hub had found A waiting, so signal() still counts it: 1.',
        lines: `shared_fut.add_done_callback(
    lambda _: fut.set_result(None))`,
      },
    }],
  },
  {
    id: 'signal-loops',
    title: 'In two event loops',
    about: 'What the document promises: to be waited for in any loop.',
    kind: 'signal',
    apart: ['B'],
    acts: [
      { who: 'A', does: 'wait', says: 'A waits, in one loop.' },
      { who: 'B', does: 'wait', says: 'B waits, in another.' },
      { who: 'page', does: 'signal', says: 'The controller signals.' },
    ],
    ends: 'A and B: woken. Controller: signal() → 2.',
    originals: [{
      code: 'Signal',
      ends: 'A: woken. B: RuntimeError: Task got Future attached to a different loop.',
      wrong: {
        why: 'The text says that everybody awaits a future of its own loop. The code has it the other way round: only the first does.',
        rule: 'A wake is posted to the waiter’s own loop.',
        lines: allocator,
      },
    }],
  },
  {
    id: 'signal-thread',
    title: 'From another event loop',
    about: 'The one who waits and the one who signals are in two loops.',
    kind: 'signal',
    apart: ['A'],
    acts: [
      { who: 'A', does: 'wait', says: 'A waits, in a loop that has nothing else to do.' },
      { who: 'page', does: 'signal', says: 'The controller signals, in another loop.' },
    ],
    ends: 'A: woken. Controller: signal() → 1.',
    originals: [{
      code: 'Signal',
      ends: 'A: waits for ever.',
      wrong: {
        why: 'set_result() from another thread does not wake the loop that sleeps there. A would be woken by the loop’s next timer; it has none.',
        rule: 'A wake is posted to the waiter’s own loop.',
        lines: `if self._shared_future and …:
    self._shared_future.set_result(True)`,
      },
    }],
  },
  {
    id: 'signal-dead-loop',
    title: 'A loop that has ended',
    about: 'The event loop of one who waits was closed, its tasks were not cancelled, and nobody told the signal.',
    kind: 'signal',
    apart: ['A'],
    acts: [
      { who: 'A', does: 'wait', says: 'A waits.' },
      { who: 'A', does: 'die', says: 'A’s loop is closed while A waits; with clca, its Worker is terminated.' },
      { who: 'page', does: 'signal', says: 'The controller signals.' },
    ],
    ends: 'A: gone. Controller: signal() → 0.',
    originals: [{
      code: 'Signal',
      ends: 'A: gone. Controller: signal() RuntimeError: Event loop is closed.',
      wrong: {
        why: 'The one who signals gets the error of the one who is gone. loop.close() leaves A’s wait as it is. Had the loop ended with asyncio.run(), that would have cancelled A first, and there would be no error.',
        rule: 'When a realm dies its waits are withdrawn; that is never an error of the one who signals.',
        lines: `async def signal(self) -> None:
    …
        self._shared_future.set_result(True)`,
      },
    }],
  },
];
