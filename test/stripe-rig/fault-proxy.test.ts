import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { chanceOf } from '../../lab/random.ts';
import { type Fault, type FaultProxy, openFaultProxy, seededFaults } from '../../lab/stripe-rig/fault-proxy.ts';

describe('the way to Stripe on which calls go wrong', () => {
  let server: LoopbackServer;
  let way: FaultProxy;
  let executed = 0;
  const body = JSON.stringify({ id: 'pi_1', status: 'succeeded' });

  before('start a server', async () => {
    server = await serveOnLoopback((_, response) => {
      executed += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  beforeEach(async () => {
    executed = 0;
    way = await openFaultProxy(server.url);
  });
  afterEach(() => way.close());
  after(() => server.close());

  const post = () => fetch(`${way.url}/v1/refunds`, { method: 'POST', body: 'amount=1018' });

  /** All bytes that come before the end of the connection, and whether it was reset. */
  function rawPost(): Promise<{ text: string; isReset: boolean }> {
    const socket = connect(Number(new URL(way.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('POST /v1/refunds HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    return new Promise((resolve) => {
      socket.once('error', () => resolve({ text, isReset: true }));
      socket.once('end', () => resolve({ text, isReset: false }));
    });
  }

  it('passes a call without a fault as it is', async () => {
    const response = await post();
    assert.deepEqual([response.status, await response.text(), executed], [200, body, 1]);
    assert.deepEqual([way.calls, way.made], [['POST /v1/refunds'], {}]);
  });

  it('resets at every byte of the answer after the effect', async () => {
    way.plan('POST', { kind: 'reset_answer', at: 1 });
    const whole = (await rawPost()).text.length;
    const bytes = Array.from({ length: whole }, (_, index) => index);
    way.plan('POST', ...bytes.map((count): Fault => ({ kind: 'reset_answer', at: (count + 0.5) / whole })));
    const ends = await Promise.all(bytes.map(rawPost));
    assert.equal(
      ends.every(({ isReset }) => isReset),
      true,
    );
    assert.deepEqual(
      ends.map(({ text }) => text.length).sort((one, other) => one - other),
      bytes,
    );
    assert.deepEqual([executed, way.made.reset_answer], [whole + 1, whole + 1]);
  });

  it('resets anywhere in the request without an effect, at its last byte too', async () => {
    const shares = Array.from({ length: 101 }, (_, index) => index / 100);
    way.plan('POST', ...shares.map((at): Fault => ({ kind: 'reset_request', at })));
    const ends = await Promise.allSettled(shares.map(post));
    assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(['rejected']));
    assert.deepEqual([executed, way.made.reset_request], [0, 101]);
  });

  for (const [fault, effects, status, start] of [
    [{ kind: 'status', status: 429, when: 'before' }, 0, 429, '{"error"'],
    [{ kind: 'status', status: 500, when: 'after' }, 1, 500, '{"error"'],
    [{ kind: 'status', status: 503, when: 'after' }, 1, 503, '{"error"'],
    [{ kind: 'status', status: 409, when: 'before' }, 0, 409, '{"error"'],
    [{ kind: 'html', when: 'before' }, 0, 200, '<html>'],
    [{ kind: 'html', when: 'after' }, 1, 200, '<html>'],
    [{ kind: 'truncated' }, 1, 200, '{"id"'],
    [{ kind: 'delay', ms: 5 }, 1, 200, body],
  ] as const) {
    it(`makes ${JSON.stringify(fault)} of a call, with ${effects} effects`, async () => {
      way.plan('POST', fault as Fault);
      const response = await post();
      const text = await response.text();
      assert.deepEqual([response.status, executed, text.startsWith(start)], [status, effects, true]);
      assert.deepEqual(way.made, { [fault.kind]: 1 });
      if (fault.kind === 'truncated') assert.throws(() => JSON.parse(text));
      assert.equal((await post()).status, 200, 'a planned fault is made once');
    });
  }

  it('plans by a pattern, in order, and leaves other calls alone', async () => {
    way.plan(/confirm$/, { kind: 'status', status: 500, when: 'before' }, { kind: 'html', when: 'before' });
    const confirm = () => fetch(`${way.url}/v1/payment_intents/pi_1/confirm`, { method: 'POST' });
    assert.equal((await post()).status, 200);
    assert.equal((await confirm()).status, 500);
    assert.match(await (await confirm()).text(), /^<html>/);
    assert.equal((await confirm()).status, 200);
  });

  it('draws the same faults for the same seed', () => {
    const drawn = (seed: string) => {
      const choice = seededFaults(chanceOf(seed), 0.5);
      return Array.from({ length: 200 }, () => choice('POST /v1/refunds'));
    };
    assert.deepEqual(drawn('one'), drawn('one'));
    assert.notDeepEqual(drawn('one'), drawn('two'));
    const kinds = new Set(drawn('one').map((fault) => fault?.kind));
    assert.equal(kinds.size, 7, 'all six kinds, and none');
  });
});
