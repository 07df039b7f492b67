import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createSendingTurns,
  maxInWorkflowTasks,
  maxRequestsUnderWay,
  type SendingTurns,
  type SentFrom,
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
    const send = (id: string, ms: number, hasResponse = true, from: SentFrom = 'activity'): void => {
      const turn = now(turns.ask(id, from, null));
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
  function takeAll(turns: SendingTurns, id: string, from: SentFrom = 'activity') {
    const taken: { end(hasResponse: boolean): void }[] = [];
    for (;;) {
      const turn = turns.ask(id, from, null);
      if (turn.kind !== 'now') return taken;
      taken.push(turn);
    }
  }

  const kindInTask = (turns: SendingTurns, id: string, failingMs: number | null = null) =>
    turns.ask(id, 'workflow task', failingMs).kind;

  it('are in the workflow task for an endpoint that responded within a second, in an activity for a slower one', () => {
    const { turns, send } = begin();
    send('quick', second);
    send('slow', second + 1);
    assert.equal(kindInTask(turns, 'quick'), 'now');
    assert.equal(kindInTask(turns, 'slow'), 'in an activity');
    send('slow', 20);
    assert.equal(kindInTask(turns, 'slow'), 'now');
  });

  it('are in the workflow task for an endpoint that was never sent to, unless it is known to fail', () => {
    const { turns } = begin();
    assert.equal(kindInTask(turns, 'new'), 'now');
    assert.equal(kindInTask(turns, 'fails', minute), 'in an activity');
    assert.equal(kindInTask(turns, 'fails', minute), 'in an activity');
  });

  it('stay in the workflow task for an endpoint that fails, but at once', () => {
    const { turns } = begin();
    now(turns.ask('refuses', 'activity', minute)).end(false);
    assert.equal(kindInTask(turns, 'refuses', minute), 'now');
  });

  it('forget the endpoint that is known longest after ten thousand others, unless a request to it is under way', () => {
    const { turns, send } = begin();
    send('slow', 2 * second);
    const underWay = now(turns.ask('under way', 'activity', minute));
    for (let nth = 0; nth < 9_998; nth++) send(`quick ${nth}`, 0);
    assert.equal(kindInTask(turns, 'slow'), 'in an activity');
    send('one more', 0);
    assert.equal(kindInTask(turns, 'slow'), 'now');
    underWay.end(false);
    assert.equal(kindInTask(turns, 'under way', minute), 'now', 'it is known to fail at once');
  });

  it('leave the workflow tasks as soon as one request has been under way for more than a second', () => {
    const { turns, pass } = begin();
    const first = now(turns.ask('hangs', 'workflow task', null));
    pass(second);
    assert.equal(kindInTask(turns, 'hangs'), 'now');
    pass(1);
    assert.equal(kindInTask(turns, 'hangs'), 'in an activity');
    assert.equal(kindInTask(turns, 'another'), 'now');
    first.end(true);
  });

  it('leave some workflow tasks free when ten endpoints hang at once, and the others move to activities', () => {
    const { turns } = begin();
    const held = Array.from({ length: 10 }, (_, index) => takeAll(turns, `hangs ${index}`, 'workflow task').length);
    const sum = held.reduce((total, each) => total + each, 0);
    assert.ok(sum <= 0.75 * maxInWorkflowTasks, `${sum} of ${maxInWorkflowTasks} are held`);
    assert.equal(kindInTask(turns, 'hangs 0'), 'in an activity');
    assert.equal(kindInTask(turns, 'healthy'), 'now');
  });

  it('are one at a time for an endpoint whose last request got no response, until it responds', () => {
    const { turns, pass, send } = begin();
    send('hangs', timeout, false);
    const probe = now(turns.ask('hangs', 'activity', timeout));
    const refused = later(turns.ask('hangs', 'activity', timeout));
    assert.equal(refused.reason, 'the receiver does not respond, so it gets one request at a time');
    assert.equal(kindInTask(turns, 'hangs', timeout), 'later');
    now(turns.ask('healthy', 'activity', null)).end(true);
    pass(timeout);
    probe.end(false);
    const next = now(turns.ask('hangs', 'activity', 2 * timeout));
    assert.equal(turns.ask('hangs', 'activity', 2 * timeout).kind, 'later');
    next.end(true);
    assert.equal(takeAll(turns, 'hangs').length, share);
  });

  it('send one attempt to an activity for an endpoint that does not respond, and keep its place until it begins', () => {
    const { turns, pass, send } = begin();
    send('hangs', timeout, false);
    assert.equal(kindInTask(turns, 'hangs', timeout), 'in an activity');
    assert.equal(kindInTask(turns, 'hangs', timeout), 'later');
    const probe = now(turns.ask('hangs', 'activity', timeout));
    pass(timeout);
    probe.end(false);
    assert.equal(kindInTask(turns, 'hangs', timeout), 'in an activity');
    assert.equal(kindInTask(turns, 'hangs', timeout), 'later');
    pass(5 * second);
    assert.equal(kindInTask(turns, 'hangs', timeout), 'in an activity', 'the activity never began');
  });

  it('give back what they took: after any requests an endpoint gets its whole share again', () => {
    const { turns, pass } = begin();
    for (const hasResponse of [true, false, true]) {
      const taken = [...takeAll(turns, 'one'), ...takeAll(turns, 'two', 'workflow task')];
      pass(20);
      for (const turn of taken) turn.end(hasResponse);
    }
    assert.equal(takeAll(turns, 'one').length, share);
    const again = createSendingTurns();
    assert.equal(takeAll(turns, 'two', 'workflow task').length, takeAll(again, 'two', 'workflow task').length);
    const turn = now(turns.ask('three', 'activity', null));
    turn.end(true);
    assert.throws(() => turn.end(true), /has ended already/);
  });

  it('come one after the other, as far apart as the receiver takes for a request, and not before a second', () => {
    const { turns, pass } = begin();
    takeAll(turns, 'slow');
    pass(5.7 * second);
    const waits = Array.from({ length: 100 }, () => later(turns.ask('slow', 'activity', null)).waitMs);
    assert.equal(waits[0], second + 100);
    assert.equal(waits[1], second + 200);
    assert.equal(waits[99], second + 100 * 100);
    pass(5 * second);
    const { waitMs, reason } = later(turns.ask('slow', 'activity', null));
    assert.ok(waitMs > 6 * second && waitMs < 6.4 * second, `the line has moved on: ${waitMs}`);
    assert.equal(reason, 'too many requests are under way');
  });

  it('come at most a minute later, or as long as the endpoint has been failing, but never over half an hour', () => {
    const longestOf = (failingMs: number) => {
      const { turns, send } = begin();
      send('hangs', timeout, false);
      now(turns.ask('hangs', 'activity', failingMs));
      const waits = Array.from({ length: 500 }, () => later(turns.ask('hangs', 'activity', failingMs)).waitMs);
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
    const probe = now(turns.ask('hung', 'activity', hour));
    for (let count = 0; count < 50; count++) later(turns.ask('hung', 'activity', hour));
    probe.end(true);
    takeAll(turns, 'hung');
    assert.ok(later(turns.ask('hung', 'activity', null)).waitMs < 2 * second);
  });

  describe('in a batch', () => {
    const kind = (turns: SendingTurns, id: string, from: SentFrom = 'workflow task') => turns.askInBatch(id, from).kind;
    function takeAllInBatch(turns: SendingTurns, id: string, from: SentFrom) {
      const taken: { end(hasResponse: boolean): void }[] = [];
      for (;;) {
        const turn = turns.askInBatch(id, from);
        if (turn.kind !== 'now') return { taken, last: turn.kind };
        taken.push(turn);
      }
    }

    it('are an eighth of the free ones, of a workflow task or of an activity, as without a batch', () => {
      const { turns } = begin();
      const inTask = takeAllInBatch(turns, 'one', 'workflow task');
      assert.deepEqual([inTask.taken.length, inTask.last], [7, 'busy']);
      for (const turn of inTask.taken) turn.end(true);
      const inActivity = takeAllInBatch(turns, 'one', 'activity');
      assert.deepEqual([inActivity.taken.length, inActivity.last], [share, 'busy']);
      assert.equal(kind(turns, 'other'), 'now');
    });

    it('are refused once a request takes longer than a second, and until the endpoint responds promptly again', () => {
      const { turns, pass, send } = begin();
      const turn = turns.askInBatch('slow', 'workflow task');
      assert.equal(kind(turns, 'slow'), 'now');
      pass(second + 1);
      assert.equal(kind(turns, 'slow'), 'slow');
      assert.equal(kind(turns, 'slow', 'activity'), 'slow');
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
      assert.equal(turns.ask('silent', 'activity', null).kind, 'now');
    });
  });
});
