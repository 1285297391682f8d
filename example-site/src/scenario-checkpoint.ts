/** What the first document does with a CheckpointSignal, and what becomes of it. */

import type { Scenario } from './scenario.ts';

const stays = `async with self._lock:
    if self._suspend_signal is None:
        return`;

export const ofCheckpoint: Scenario[] = [
  {
    id: 'checkpoint-stage',
    title: 'A controller stops a stage',
    about: 'The example of the document: the controller arms a checkpoint, and knows when the stage stands there.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'A', does: 'wait', says: 'A comes to it, and stops.' },
      { who: 'page', does: 'resume', says: 'The controller resumes.' },
    ],
    ends: 'A: resumed. Controller: arm() done, then resume() → 1.',
    originals: [{ code: 'CheckpointSignal', ends: 'A: resumed. Controller: arm() done.' }],
  },
  {
    id: 'checkpoint-again',
    title: 'The stage comes again',
    about: 'After a resume, nobody has armed it any more.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'A', does: 'wait', says: 'A comes to it, and stops.' },
      { who: 'page', does: 'resume', says: 'The controller resumes.' },
      { who: 'A', does: 'wait', says: 'A comes to it again.' },
    ],
    ends: 'A: resumed, then passes. Controller: arm() done, then resume() → 1.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: resumed, then waits for ever. Controller: arm() done.',
      wrong: {
        why: 'Nothing ever sets _suspend_signal back to None: once armed, it stops everybody for good.',
        rule: 'resume() releases all who stand there, and disarms.',
        lines: stays,
      },
    }],
  },
  {
    id: 'checkpoint-given-up',
    title: 'The arm is given up',
    about: 'The controller arms, and gives up before anybody comes.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'page', does: 'leave', says: 'Nobody comes, and it gives up.' },
      { who: 'A', does: 'wait', says: 'A comes.' },
    ],
    ends: 'A: passes. Controller: left.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: waits for ever. Controller: left.',
      wrong: {
        why: 'The cancelled future is still there, so A stops, and there is no controller that knows.',
        rule: 'An arm that is cancelled leaves the checkpoint disarmed.',
        lines: `self._suspend_signal = asyncio.Future()
await self._suspend_signal`,
      },
    }],
  },
  {
    id: 'checkpoint-second-arm',
    title: 'A second arm',
    about: 'Somebody stands there already, and it is armed once more.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'A', does: 'wait', says: 'A comes, and stops.' },
      { who: 'page', does: 'arm', says: 'The controller arms it again.' },
      { who: 'B', does: 'wait', says: 'B comes, and stops.' },
      { who: 'page', does: 'resume', says: 'The controller resumes.' },
    ],
    ends: 'A and B: resumed. Controller: arm() done, then arm() AlreadyArmedError, then resume() → 2.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A and B: resumed. Controller: arm() done, then arm() waits for ever.',
      wrong: {
        why: '“Already armed” is raised only until somebody comes. Then B joins those who stand there, and confirms nothing to the second arm.',
        rule: 'arm() fails at once while the checkpoint is armed or holds somebody.',
        lines: `if self._suspend_signal is not None \\
        and not self._suspend_signal.done():
    raise RuntimeError("Already armed")`,
      },
    }],
  },
  {
    id: 'checkpoint-first-leaves',
    title: 'The first of those who stand leaves',
    about: 'Two stand at the checkpoint, and one of them is cancelled.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'A', does: 'wait', says: 'A comes, and stops.' },
      { who: 'B', does: 'wait', says: 'B comes, and stops.' },
      { who: 'A', does: 'leave', says: 'A gives up.' },
      { who: 'page', does: 'resume', says: 'The controller resumes.' },
    ],
    ends: 'A: left. B: resumed. Controller: arm() done, then resume() → 1.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: left. B: passes, though nobody resumed. Controller: arm() done.',
      wrong: {
        why: 'A awaits the shared future itself. Its cancellation ends that, and lets B through a checkpoint that nobody has opened.',
        rule: 'A caller that leaves does not let the others through.',
        lines: `if is_first:
    fut = shared
else:
    fut = asyncio.Future()
    shared.add_done_callback(…)`,
      },
    }],
  },
  {
    id: 'checkpoint-second-leaves',
    title: 'A later one leaves',
    about: 'Two stand at the checkpoint, and the second is cancelled.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'A', does: 'wait', says: 'A comes, and stops.' },
      { who: 'B', does: 'wait', says: 'B comes, and stops.' },
      { who: 'B', does: 'leave', says: 'B gives up.' },
      { who: 'page', does: 'resume', says: 'The controller resumes.' },
    ],
    ends: 'A: resumed. B: left. Controller: arm() done, then resume() → 1.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: resumed. B: left. Controller: arm() done. Logged: InvalidStateError: invalid state.',
      wrong: {
        why: 'B’s callback stays on the shared future, and later sets one that is cancelled. A thousand that leave are a thousand callbacks.',
        rule: 'No reference to a waiter that has ended stays anywhere.',
        lines: `fut = asyncio.Future()
shared.add_done_callback(
    lambda _: fut.set_result(None))`,
      },
    }],
  },
  {
    id: 'checkpoint-early-resume',
    title: 'Resumed before anybody stands there',
    about: 'A resume that comes too early is not remembered.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', says: 'The controller arms the checkpoint.' },
      { who: 'page', does: 'resume', says: 'It resumes. Nobody stands there.' },
      { who: 'A', does: 'wait', says: 'A comes, and stops.' },
      { who: 'page', does: 'resume', says: 'The controller resumes again.' },
    ],
    ends: 'A: resumed. Controller: arm() done, then resume() → 0, then resume() → 1.',
    originals: [{ code: 'CheckpointSignal', ends: 'A: resumed. Controller: arm() done.' }],
  },
  {
    id: 'checkpoint-arm-resume',
    title: 'Armed, and resumed at once',
    about: 'The controller resumes as soon as it hears that somebody stands there.',
    kind: 'checkpoint',
    acts: [
      { who: 'page', does: 'arm', then: 'resume', says: 'The controller arms the checkpoint, and will resume as soon as arm() returns.' },
      { who: 'A', does: 'wait', says: 'A comes.' },
    ],
    ends: 'A: resumed. Controller: arm() done, then resume() → 1.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: waits for ever. Controller: arm() done, then resume() RuntimeError: the current thread is already holding this lock.',
      wrong: {
        why: 'A still holds the lock while it sleeps, and resume() would block the loop in which A has to go on.',
        rule: 'Every call is one step that cannot block. No user’s code runs under a lock.',
        lines: `await asyncio.sleep(0)   # in wait(), locked

def resume(self) -> None:
    with self._lock:`,
      },
    }],
  },
  {
    id: 'checkpoint-loops',
    title: 'In two event loops, as it is written',
    about: 'The last example of the document: a worker in another thread, and a main loop that arms later.',
    kind: 'checkpoint',
    apart: ['A'],
    acts: [
      { who: 'A', does: 'wait', says: 'A comes to the checkpoint, in another loop.' },
      { who: 'page', does: 'arm', timeout: 2, ours: true, says: 'Half a second later, the controller arms it. In clca it can say how long it will wait.' },
    ],
    ends: 'A: passes. Controller: arm() TimeoutError.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: passes. Controller: arm() waits for ever.',
      wrong: {
        why: 'A has passed before it was armed, and nobody else will come. The program of the document never ends.',
        rule: 'Every call that waits takes a timeout and an AbortSignal.',
        lines: `async def main():
    await asyncio.sleep(0.5)
    await checkpoint.arm()
    checkpoint.resume()`,
      },
    }],
  },
  {
    id: 'checkpoint-loops-armed',
    title: 'In two event loops, armed first',
    about: 'The same with the arm before the worker comes, as it must have been meant.',
    kind: 'checkpoint',
    apart: ['A'],
    acts: [
      { who: 'page', does: 'arm', then: 'resume', says: 'The controller arms the checkpoint, and will resume as soon as arm() returns.' },
      { who: 'A', does: 'wait', says: 'A comes, in another loop.' },
    ],
    ends: 'A: resumed. Controller: arm() done, then resume() → 1.',
    originals: [{
      code: 'CheckpointSignal',
      ends: 'A: waits for ever. Controller: arm() waits for ever.',
      wrong: {
        why: 'A sets a future of the controller’s loop, from another thread: that loop sleeps, and hears of it at its next timer, which it does not have.',
        rule: 'A wake is posted to the waiter’s own loop.',
        lines: `if not self._suspend_signal.done():
    self._suspend_signal.set_result(True)`,
      },
    }],
  },
];
