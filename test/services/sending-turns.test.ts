import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createSendingTurns,
  maxRequestsUnderWay,
  type SendingTurns,
  type Turn,
} from '../../src/services/webhooks/sending-turns.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** What a receiver that hangs takes. */
const timeout = 15 * second;
const share = Math.ceil(maxRequestsUnderWay / 9);

describe('the turns of requests to endpoints', () => {
  /** Turns whose time stands still until `pass`, with the middle of each spread. */
  function begin() {
    let time = 5 * hour;
    const turns = createSendingTurns(
      () => time,
      () => 0.5,
    );
    const pass = (ms: number): void => {
      time += ms;
    };
    /** One request that takes so long, and whether there was a response. */
    const send = (id: string, ms: number, hasResponse = true): void => {
      const turn = now(turns.ask(id, null));
      pass(ms);
      turn.end(hasResponse);
    };
    return { turns, pass, send };
  }

  function now(turn: Turn) {
    assert.ok(turn.kind === 'now', turn.kind);
    return turn;
  }

  function later(turn: Turn) {
    assert.ok(turn.kind === 'later', turn.kind);
    return turn;
  }

  /** Takes as many turns as the endpoint gets. */
  function takeAll(turns: SendingTurns, id: string) {
    const taken: { end(hasResponse: boolean): void }[] = [];
    for (;;) {
      const turn = turns.ask(id, null);
      if (turn.kind !== 'now') return taken;
      taken.push(turn);
    }
  }

  it('forget the endpoint that is known longest after ten thousand others, unless a request to it is under way', () => {
    const { turns, send } = begin();
    send('slow', 2 * second);
    const underWay = now(turns.ask('under way', minute));
    for (let nth = 0; nth < 9_998; nth++) send(`quick ${nth}`, 0);
    assert.equal(turns.askInBatch('slow').kind, 'slow');
    send('one more', 0);
    assert.equal(turns.askInBatch('slow').kind, 'now');
    underWay.end(false);
  });

  it('are one at a time for an endpoint whose last request got no response, until it responds', () => {
    const { turns, pass, send } = begin();
    send('hangs', timeout, false);
    const probe = now(turns.ask('hangs', timeout));
    const refused = later(turns.ask('hangs', timeout));
    assert.equal(refused.reason, 'the receiver does not respond, so it gets one request at a time');
    now(turns.ask('healthy', null)).end(true);
    pass(timeout);
    probe.end(false);
    const next = now(turns.ask('hangs', 2 * timeout));
    assert.equal(turns.ask('hangs', 2 * timeout).kind, 'later');
    next.end(true);
    assert.equal(takeAll(turns, 'hangs').length, share);
  });

  it('give back what they took: after any requests an endpoint gets its whole share again', () => {
    const { turns, pass } = begin();
    for (const hasResponse of [true, false, true]) {
      const taken = takeAll(turns, 'one');
      pass(20);
      for (const turn of taken) turn.end(hasResponse);
    }
    assert.equal(takeAll(turns, 'one').length, share);
    const turn = now(turns.ask('three', null));
    turn.end(true);
    assert.throws(() => turn.end(true), /has ended already/);
  });

  it('come one after the other, as far apart as the receiver takes for a request, and not before a second', () => {
    const { turns, pass } = begin();
    takeAll(turns, 'slow');
    pass(5.7 * second);
    const waits = Array.from({ length: 100 }, () => later(turns.ask('slow', null)).waitMs);
    assert.equal(waits[0], second + 100);
    assert.equal(waits[1], second + 200);
    assert.equal(waits[99], second + 100 * 100);
    pass(5 * second);
    const { waitMs, reason } = later(turns.ask('slow', null));
    assert.ok(waitMs > 6 * second && waitMs < 6.4 * second, `the line has moved on: ${waitMs}`);
    assert.equal(reason, 'too many requests are under way');
  });

  it('come at most a minute later, or as long as the endpoint has been failing, but never over half an hour', () => {
    const longestOf = (failingMs: number) => {
      const { turns, send } = begin();
      send('hangs', timeout, false);
      now(turns.ask('hangs', failingMs));
      const waits = Array.from({ length: 500 }, () => later(turns.ask('hangs', failingMs)).waitMs);
      assert.equal(waits[0], second + timeout);
      assert.ok(Math.max(...waits) <= Math.min(Math.max(failingMs, minute), hour / 2));
      return waits.at(-1);
    };
    assert.equal(longestOf(timeout), 0.75 * minute);
    assert.equal(longestOf(8 * minute), 0.75 * 8 * minute);
    assert.equal(longestOf(100 * hour), 0.75 * (hour / 2));
  });

  it('do not wait behind those of before once the receiver has responded', () => {
    const { turns, send } = begin();
    send('hung', timeout, false);
    const probe = now(turns.ask('hung', hour));
    for (let count = 0; count < 50; count++) later(turns.ask('hung', hour));
    probe.end(true);
    takeAll(turns, 'hung');
    assert.ok(later(turns.ask('hung', null)).waitMs < 2 * second);
  });

  describe('in a batch', () => {
    const kind = (turns: SendingTurns, id: string) => turns.askInBatch(id).kind;
    function takeAllInBatch(turns: SendingTurns, id: string) {
      const taken: { end(hasResponse: boolean): void }[] = [];
      for (;;) {
        const turn = turns.askInBatch(id);
        if (turn.kind !== 'now') return { taken, last: turn.kind };
        taken.push(turn);
      }
    }

    it('are eight at first, and one more for each prompt response while it has so many: up to an eighth of the free', () => {
      const { turns, pass } = begin();
      const { taken, last } = takeAllInBatch(turns, 'takes a while');
      assert.deepEqual([taken.length, last], [8, 'busy']);
      for (let response = 0; response < 100; response++) {
        pass(5);
        taken.shift()?.end(true);
        taken.push(...takeAllInBatch(turns, 'takes a while').taken);
        const atOnce = turns.askInBatch('responds at once');
        assert.ok(atOnce.kind === 'now');
        atOnce.end(true);
      }
      assert.equal(taken.length, share);
      assert.equal(takeAllInBatch(turns, 'responds at once').taken.length, 8);
    });

    it('are eight again once a response took longer than a second', () => {
      const { turns, pass, send } = begin();
      const { taken } = takeAllInBatch(turns, 'one');
      for (const turn of taken) turn.end(true);
      const more = takeAllInBatch(turns, 'one').taken;
      assert.ok(more.length > 8);
      pass(second + 1);
      for (const turn of more) turn.end(true);
      send('one', 10);
      assert.equal(takeAllInBatch(turns, 'one').taken.length, 8);
    });

    it('are refused once a request takes longer than a second, and until the endpoint responds promptly again', () => {
      const { turns, pass, send } = begin();
      const turn = turns.askInBatch('slow');
      assert.equal(kind(turns, 'slow'), 'now');
      pass(second + 1);
      assert.equal(kind(turns, 'slow'), 'slow');
      assert.ok(turn.kind === 'now');
      turn.end(true);
      assert.equal(kind(turns, 'other'), 'now');
      send('late', second + 1);
      assert.equal(kind(turns, 'late'), 'slow');
      send('late', 10);
      assert.equal(kind(turns, 'late'), 'now');
    });

    it('stand in no line: refusals do not let others wait longer', () => {
      const { turns, send } = begin();
      send('silent', timeout, false);
      for (let times = 0; times < 50; times++) assert.equal(kind(turns, 'silent'), 'slow');
      assert.equal(turns.ask('silent', null).kind, 'now');
    });
  });
});
