// Required into every thread of a server with NODE_V8_COVERAGE: at SIGUSR2 each writes what has run since the last time.
const v8 = require('node:v8');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

const channel = new BroadcastChannel('take-coverage');
channel.unref();
channel.addEventListener('message', () => v8.takeCoverage());
if (isMainThread)
  process.on('SIGUSR2', () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    channel.postMessage('take');
    v8.takeCoverage();
  });
