import { connect } from 'clca/client';

connect().then(async (hub) => { // no top-level await: Vite makes a classic script of it, unless worker.format is 'es'
  let question = hub.signal('question').wait();
  await hub.event('ready').set();
  for (;;) {
    await question;
    question = hub.signal('question').wait(); // before it answers, so that it hears the next
    await hub.signal('answer').signal();
  }
});
