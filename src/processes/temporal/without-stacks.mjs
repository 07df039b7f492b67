// Loaded into each thread of workflows before the SDK (workers.ts). The SDK records a stack for every promise,
// for the tab "Call Stack" of the Web UI alone, which costs more than the workflow itself. It does without on a Node.js
// that has no hooks for promises: so this thread has none, unless WORKFLOW_STACKS=true. Plain JavaScript: the packed
// sandbox has this file as it is.
import v8 from 'node:v8';

if (process.env.WORKFLOW_STACKS !== 'true') {
  v8.promiseHooks.createHook = () => {
    const { warn } = console;
    // The SDK then warns, once. In a log that would look like a fault.
    console.warn = (...args) => {
      console.warn = warn;
      if (!String(args[0]).includes('promiseHooks')) warn(...args);
    };
    throw new Error('No stacks are recorded. Set WORKFLOW_STACKS=true to have them.');
  };
}
