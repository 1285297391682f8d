/** What the second document wants of a shared start, and what becomes of it in the question and in the two answers. */

import type { Scenario } from './scenario.ts';

const anyTimeout = `# worker failed to start - either throwing or timeout
if not self._worker_ready.is_set():
    self.closing = True
    self._task.cancel()`;

const timesOut = `await asyncio.shield(asyncio.wait_for(
    self._worker_startup_task, timeout))`;

const cancels = `if self._clients == 0 and not self._task.done():
    self._task.cancel()
    with suppress(asyncio.CancelledError):
        await self._task
raise`;

const asksBoth = [
  { who: 'A', does: 'ask', says: 'A asks, and the start begins.' },
  { who: 'B', does: 'ask', says: 'B asks, and shares it.' },
] as const;

export const ofStart: Scenario[] = [
  {
    id: 'start-fails',
    title: '1. The start fails',
    about: 'Both consumers see the exception as the result of their start().',
    kind: 'resource',
    start: {},
    acts: [...asksBoth, { who: 'page', does: 'fail', says: 'The start fails.' }],
    ends: 'A and B: Error: it did not start. Start: fails.',
    originals: [
      { code: 'AskedStream', ends: 'A and B: ValueError: it did not start. Start: fails.' },
      { code: 'AnsweredStream', ends: 'A and B: ValueError: it did not start. Start: fails.' },
      { code: 'SharedTask', ends: 'A and B: ValueError: it did not start. Start: fails.' },
      {
        code: 'AnsweredStreamAsWritten',
        ends: 'A and B: AttributeError: \'Stream\' object has no attribute \'_worker_startup_task\'.',
        wrong: {
          why: 'The first answer says that it is untested. Its __init__ sets a name that nothing reads and leaves out the one that start() reads. All other plays of it have that mended.',
          rule: 'None is needed: the types would not let it pass.',
          lines: `def __init__(self):
    self._users = 0
    self._worker_startup = None`,
        },
      },
    ],
  },
  {
    id: 'start-one-leaves',
    title: '2. One of two leaves',
    about: 'The start goes on for the other, who sees it succeed.',
    kind: 'resource',
    start: {},
    acts: [
      ...asksBoth,
      { who: 'A', does: 'leave', says: 'A is cancelled.' },
      { who: 'page', does: 'succeed', says: 'The start is done.' },
    ],
    ends: 'A: left. B: the stream. Start: done.',
    originals: [
      { code: 'AskedStream', ends: 'A: left. B: the stream. Start: done.' },
      { code: 'AnsweredStream', ends: 'A: left. B: the stream. Start: done.' },
      { code: 'SharedTask', ends: 'A: left. B: the result. Start: done.' },
    ],
  },
  {
    id: 'start-both-leave',
    title: '3. Both leave',
    about: 'Nobody wants it any more, so the start must be cancelled.',
    kind: 'resource',
    start: {},
    acts: [
      ...asksBoth,
      { who: 'A', does: 'leave', says: 'A is cancelled.' },
      { who: 'B', does: 'leave', says: 'B is cancelled.' },
    ],
    ends: 'A and B: left. Start: cancelled.',
    originals: [
      { code: 'AskedStream', ends: 'A and B: left. Start: cancelled.' },
      { code: 'AnsweredStream', ends: 'A and B: left. Start: cancelled.' },
      { code: 'SharedTask', ends: 'A and B: left. Start: cancelled.' },
    ],
  },
  {
    id: 'start-timeout',
    title: 'One of two has less patience',
    about: 'A waits for a moment at most, B for as long as it takes.',
    kind: 'resource',
    start: {},
    acts: [
      { who: 'A', does: 'ask', timeout: 2.5, says: 'A asks, and will wait for a moment only.' },
      { who: 'B', does: 'ask', says: 'B asks, and shares the start.' },
      { who: 'page', does: 'succeed', after: 3, says: 'A’s time is over. Then the start is done.' },
    ],
    ends: 'A: TimeoutError. B: the stream. Start: done.',
    originals: [
      {
        code: 'AskedStream',
        ends: 'A: FeedTimeoutError: stream failed to start within 1s. B: FeedTimeoutError: stream failed to start within Nones. Start: cancelled.',
        wrong: {
          why: 'Whoever times out cancels the start for all, and B hears of a timeout that it never set: “within Nones”.',
          rule: 'A waiter’s end touches only itself; the start is cancelled when the last one leaves.',
          lines: anyTimeout,
        },
      },
      {
        code: 'AnsweredStream',
        ends: 'A: TimeoutError. B: CancelledError. Start: cancelled.',
        wrong: {
          why: 'The shield is around the timeout, and not the timeout around the shield: wait_for() cancels what it waits for, and that is the start of all.',
          rule: 'A waiter’s end touches only itself; the start is cancelled when the last one leaves.',
          lines: timesOut,
        },
      },
      { code: 'SharedTask', ends: 'A: TimeoutError. B: the result. Start: done.' },
    ],
  },
  {
    id: 'start-timeout-after',
    title: 'The timeout of one who has left',
    about: 'A asked with a timeout, and has left when it is over.',
    kind: 'resource',
    start: {},
    acts: [
      { who: 'A', does: 'ask', timeout: 4.5, says: 'A asks, with a timeout.' },
      { who: 'B', does: 'ask', says: 'B asks, without one.' },
      { who: 'A', does: 'leave', says: 'A is cancelled.' },
      { who: 'page', does: 'succeed', after: 3, says: 'A’s time would be over. Then the start is done.' },
    ],
    ends: 'A: left. B: the stream. Start: done.',
    originals: [
      { code: 'AskedStream', ends: 'A: left. B: the stream. Start: done.' },
      {
        code: 'AnsweredStream',
        ends: 'A: left. B: CancelledError. Start: cancelled.',
        wrong: {
          why: 'The shield keeps A’s timer alive when A is cancelled. It runs out later, and cancels the start under B.',
          rule: 'No reference to a waiter that has ended stays anywhere, not in a timer either.',
          lines: timesOut,
        },
      },
      { code: 'SharedTask', ends: 'A: left. B: the result. Start: done.' },
    ],
  },
  {
    id: 'start-again',
    title: 'Again, as soon as it has failed',
    about: 'A tries again the moment it sees that the start has failed.',
    kind: 'resource',
    start: {},
    acts: [
      { who: 'A', does: 'ask', again: true, says: 'A asks, and will ask again if it fails.' },
      { who: 'B', does: 'ask', says: 'B asks, and shares the start.' },
      { who: 'page', does: 'fail', says: 'The start fails, and A asks again.' },
      { who: 'page', does: 'succeed', says: 'The second start is done.' },
    ],
    ends: 'A: Error: it did not start, then the stream. B: Error: it did not start. Start: fails, then done.',
    originals: [
      {
        code: 'AskedStream',
        ends: 'A: ValueError: it did not start, then AssertionError. B: ValueError: it did not start. Start: fails.',
        wrong: {
          why: 'The stream is closing for good after one failure; nobody can ever start it again.',
          rule: 'A failed start is the error of all who waited for it, and the next one who asks tries afresh.',
          lines: `async def start(self, timeout=None):
    assert not self.closing`,
        },
      },
      {
        code: 'AnsweredStream',
        ends: 'A: ValueError: it did not start, then ValueError: it did not start. B: ValueError: it did not start. Start: fails.',
        wrong: {
          why: 'B has not been woken yet and still counts, so the failed task is still there, and A gets its error once more.',
          rule: 'A failed start is over for all its waiters in one step; the next one who asks tries afresh.',
          lines: `self._users -= 1
if self._users:
    return
self._worker_startup_task.cancel()
self._worker_startup_task = None`,
        },
      },
    ],
  },
  {
    id: 'start-stop-twice',
    title: 'One stops twice',
    about: 'Two use the stream, and one of them stops it twice over.',
    kind: 'resource',
    start: {},
    acts: [
      ...asksBoth,
      { who: 'page', does: 'succeed', says: 'The start is done: both have the stream.' },
      { who: 'A', does: 'stop', says: 'A stops it.' },
      { who: 'A', does: 'stop', says: 'A stops it again. B still uses it.' },
    ],
    ends: 'A and B: the stream. Start: done.',
    originals: [{
      code: 'AnsweredStream',
      ends: 'A and B: the stream. Start: done, then stopped.',
      wrong: {
        why: 'Stops are only counted, whoever makes them. The second takes B’s share, and the stream is stopped under B.',
        rule: 'What is acquired is a token; to release it twice is to release it once.',
        lines: `async def stop(self):
    self._rm_user()`,
      },
    }],
  },
  {
    id: 'task-late',
    title: 'Asked for when it is done',
    about: 'Who comes late gets the result at once.',
    kind: 'task',
    start: {},
    acts: [
      { who: 'A', does: 'ask', says: 'A asks, and the task begins.' },
      { who: 'page', does: 'succeed', says: 'It is done.' },
      { who: 'B', does: 'ask', says: 'B asks.' },
    ],
    ends: 'A and B: the result. Start: done.',
    originals: [{ code: 'SharedTask', ends: 'A and B: the result. Start: done.' }],
  },
  {
    id: 'task-clean-up',
    title: 'Asked for while it cleans up',
    about: 'The last one has left, and while the task cleans up somebody asks for it anew.',
    kind: 'task',
    start: { cleansUp: 3 },
    acts: [
      { who: 'A', does: 'ask', says: 'A asks, and the task begins.' },
      { who: 'A', does: 'leave', says: 'A is cancelled. The task cleans up.' },
      { who: 'B', does: 'ask', says: 'B asks, before it has ended.' },
      { who: 'page', does: 'succeed', after: 2.5, says: 'The run for B is done.' },
    ],
    ends: 'A: left. B: the result. Start: cancelled, and cleaned up, then done.',
    originals: [{
      code: 'SharedTask',
      ends: 'A: left. B: CancelledError. Start: cancelled, and cleaned up.',
      wrong: {
        why: 'B joins the run that is being cancelled, and gets a CancelledError though nobody has cancelled B.',
        rule: 'Who comes while it is being stopped waits, and gets a fresh run. Two never run at once.',
        lines: `async def wait(self, *, timeout=None):
    self._task = asyncio.ensure_future(self._task)
    self._clients += 1`,
      },
    }],
  },
  {
    id: 'task-twice',
    title: 'The last one is cancelled twice',
    about: 'The second cancellation comes while the task cleans up.',
    kind: 'task',
    start: { cleansUp: 3 },
    acts: [
      { who: 'A', does: 'ask', says: 'A asks, and the task begins.' },
      { who: 'A', does: 'leave', says: 'A is cancelled. The task cleans up.' },
      { who: 'A', does: 'leave', says: 'A is cancelled once more.' },
    ],
    ends: 'A: left. Start: cancelled, and cleaned up.',
    originals: [{
      code: 'SharedTask',
      ends: 'A: left. Start: cancelled, its clean-up cut off.',
      wrong: {
        why: 'A awaits the task unshielded while that cleans up, so its second cancellation goes into the clean-up.',
        rule: 'A caller that leaves is settled at once, in its own realm; the clean-up is nobody’s to cancel.',
        lines: cancels,
      },
    }],
  },
  {
    id: 'task-clean-up-fails',
    title: 'The clean-up fails',
    about: 'All leave, and what cleans up raises an error.',
    kind: 'task',
    start: { throws: 'it did not flush' },
    acts: [
      { who: 'A', does: 'ask', says: 'A asks, and the task begins.' },
      { who: 'B', does: 'ask', says: 'B asks, and shares it.' },
      { who: 'A', does: 'leave', says: 'A is cancelled.' },
      { who: 'B', does: 'leave', says: 'B is cancelled, and with it the task, whose clean-up fails.' },
    ],
    ends: 'A and B: left. Start: cancelled. Logged: Error: it did not flush.',
    originals: [{
      code: 'SharedTask',
      ends: 'A: left. B: ValueError: it did not flush. Start: cancelled.',
      wrong: {
        why: 'Two are cancelled, and they hear different things: the last one gets the error of the clean-up in place of its own cancellation. The answer means it so; but a timeout around B would not see that it was its own.',
        rule: 'Who leaves gets its own reason; the error of a clean-up is reported where the run was.',
        lines: cancels,
      },
    }],
  },
  {
    id: 'task-deaf',
    title: 'A task that does not heed its end',
    about: 'The only one who waits has a timeout, and the task ignores that it is cancelled.',
    kind: 'task',
    start: { deaf: true },
    acts: [{ who: 'A', does: 'ask', timeout: 1.5, says: 'A asks, and will wait for a moment only.' }],
    ends: 'A: TimeoutError. Start: goes on.',
    originals: [{
      code: 'SharedTask',
      ends: 'A: waits for ever. Start: goes on.',
      wrong: {
        why: 'A’s time is over, but it awaits the end of the task, which does not come.',
        rule: 'An abort or a timeout settles a wait at once, in the caller’s own realm.',
        lines: cancels,
      },
    }],
  },
];
