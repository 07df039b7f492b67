import assert from 'node:assert/strict';
import { lastWordsIn } from '../../dev/last-words.ts';

const request =
  '{"level":30,"time":"2026-11-22T12:00:00.000Z","name":"api","method":"GET","status":200,"msg":"request"}';

describe('the last words of a process', () => {
  for (const [of, output, words] of [
    [
      'the fatal line of API and worker, with its error',
      `${request}\n{"level":60,"name":"worker","err":{"type":"Error","message":"no poll"},"msg":"the worker has ended on its own"}\n`,
      'the worker has ended on its own: no poll',
    ],
    [
      'the message of an uncaught exception, not the lines around it',
      `${request}\nnode:internal/modules/run_main:107\n    triggerUncaughtException(\n    ^\n\n` +
        "Error: listen EADDRINUSE: address already in use 127.0.0.1:8080\n    at Server.listen (node:net:1)\n  code: 'EADDRINUSE',\n}\n\nNode.js v24.12.0\n",
      'Error: listen EADDRINUSE: address already in use 127.0.0.1:8080',
    ],
    [
      'memory that ran out in Node.js',
      `${request}\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0xe36196 node::OOMErrorHandler\n`,
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    ],
    [
      'the plain line that a process prints before it ends',
      `${request}\nNot closed 14 s after SIGTERM; ending without waiting for the rest.\n`,
      'Not closed 14 s after SIGTERM; ending without waiting for the rest.',
    ],
    [
      'the line that says what to correct in its variables',
      `${request}\nThe configuration cannot be used:\n  - PORT must be a whole number from 1 to 65535, not "x"\n`,
      'PORT must be a whole number from 1 to 65535, not "x"',
    ],
    [
      'a panic of PostgreSQL, although its other processes write after it',
      '2026-11-22 12:00:01.000 UTC [11] PANIC:  could not write to file "pg_wal/xlogtemp.11": No space left on device\n' +
        '2026-11-22 12:00:01.100 UTC [9] LOG:  startup process (PID 11) was terminated by signal 6: Aborted\n' +
        '2026-11-22 12:00:01.100 UTC [12] FATAL:  terminating connection due to unexpected postmaster exit\n' +
        '2026-11-22 12:00:01.200 UTC [9] LOG:  database system is shut down\n',
      'PANIC:  could not write to file "pg_wal/xlogtemp.11": No space left on device',
    ],
    [
      'the request by which PostgreSQL was shut down',
      '2026-11-22 12:00:01.000 UTC [9] LOG:  received fast shutdown request\n' +
        '2026-11-22 12:00:01.000 UTC [20] FATAL:  terminating connection due to administrator command\n' +
        '2026-11-22 12:00:01.200 UTC [9] LOG:  database system is shut down\n',
      'LOG:  received fast shutdown request',
    ],
    [
      "Temporal's fatal line, with its error",
      '{"level":"error","msg":"Operation failed","error":"not this"}\n{"level":"fatal","msg":"Unable to start server","error":"disk I/O error"}\n',
      'Unable to start server: disk I/O error',
    ],
    [
      'a panic of a Go program',
      'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n',
      'panic: runtime error: index out of range',
    ],
    [
      'the signal by which a Go program crashed, not its registers',
      'SIGSEGV: segmentation violation\nPC=0x4078e1 m=0 sigcode=0\n\ngoroutine 1 [running]:\n\nfs     0x0\ngs     0x0\n',
      'SIGSEGV: segmentation violation',
    ],
    ['nothing, where only registers are left', 'fs     0x0\ngs     0x0\n', null],
    ['nothing, where only requests were logged', `${request}\n${request}\n`, null],
    ['nothing, where nothing was logged', '', null],
  ] as const) {
    it(`are, in the log of a process, ${of}`, () => assert.equal(lastWordsIn(output), words));
  }

  it('cannot control the terminal, and are not endless', () => {
    const words = lastWordsIn(`Error: \u001b[2J${'x'.repeat(2_000)}`) ?? '';
    assert.ok(words.startsWith('Error: \\u001b[2Jxx') && words.length === 500, words);
  });
});
