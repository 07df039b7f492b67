import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { type ReplayResult, Worker, type WorkflowBundle } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { patches } from '../../src/messages/workflow-versions.ts';
import { testLogger, workflowBundle } from '../support/temporal.ts';
import { withoutPatch } from './without-patch.ts';

const folder = new URL('histories/', import.meta.url);

/** A history as the JSON has it; only what is looked at here. */
interface History {
  events: Event[];
}
interface Event extends Record<string, unknown> {
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string }; heartbeatTimeout?: string };
  activityTaskStartedEventAttributes?: { attempt: number };
}

describe('the workflows as they are now', () => {
  let histories: { workflowId: string; history: History }[] = [];
  before('read the histories', async () => {
    testLogger();
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
    histories = await Promise.all(
      names.map(async (name) => ({
        workflowId: name.replace('.json', ''),
        history: JSON.parse(await readFile(new URL(name, folder), 'utf8')) as History,
      })),
    );
  });

  /** The result of each history. */
  async function replay(replayed: typeof histories, bundle?: WorkflowBundle): Promise<ReplayResult[]> {
    const results: ReplayResult[] = [];
    const options = { workflowBundle: bundle ?? (await workflowBundle()) };
    for await (const result of Worker.runReplayHistories(options, replayed)) results.push(result);
    return results;
  }

  function named(part: string): History {
    const found = histories.find(({ workflowId }) => workflowId.includes(part));
    assert.ok(found, `there is no history of ${part}`);
    return structuredClone(found.history);
  }

  it('do, step by step, what each recorded history says', async function () {
    this.timeout(60_000);
    for (const when of ['current', ...Object.values(patches).map((patch) => `before-${patch}`)]) {
      const kept = histories.filter(({ workflowId }) => workflowId.startsWith(`${when}/`));
      assert.ok(kept.length >= 11, `${kept.length} histories of ${when}`);
    }
    const refused = (await replay(histories)).filter(({ error }) => error !== undefined);
    assert.deepEqual(
      refused.map(({ workflowId, error }) => `${workflowId}: ${error?.message}`),
      [],
    );
  });

  /** The histories from before each change that show why it needs its patch. */
  const refusedWithout: Record<keyof typeof patches, string[]> = {};
  for (const [patch, expected] of Object.entries<string[]>(refusedWithout)) {
    it(`would be refused by a run that began before ${patch}, were that change not behind its patch`, async function () {
      this.timeout(60_000);
      const before = `before-${(patches as Record<string, string>)[patch]}/`;
      const older = histories.filter(({ workflowId }) => workflowId.startsWith(before));
      const results = await replay(older, withoutPatch(await workflowBundle(), patch));
      const refused = results.filter(({ error }) => error instanceof DeterminismViolationError);
      assert.deepEqual(refused.map(({ workflowId }) => workflowId.slice(before.length)).sort(), expected);
    });
  }

  it('are compared with live charges too, which have heartbeats, and one whose worker was killed', () => {
    const heartbeats = histories
      .flatMap(({ history }) => history.events.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []))
      .flatMap(({ activityType, heartbeatTimeout }) => (/^collect/.test(activityType.name) ? heartbeatTimeout : []));
    assert.ok(heartbeats.length >= 7, `${heartbeats.length} live charges`);
    assert.deepEqual([...new Set(heartbeats)], ['8s']);
    const started = named('live-mode-plan-outlives-its-worker').events.flatMap(
      (event) => event.activityTaskStartedEventAttributes ?? [],
    );
    assert.equal(started[0]?.attempt, 2, 'the second worker made the charge');
  });

  it('are refused by a history in which a live charge was made without a normal activity', async () => {
    const history = named('live-mode-plan-is-paid');
    const scheduled = history.events.findIndex((event) => event.activityTaskScheduledEventAttributes);
    assert.ok(scheduled > 0);
    history.events[scheduled] = signalInPlaceOf(history.events[scheduled]);
    const [result] = await replay([{ workflowId: 'without a charge', history }]);
    assert.ok(result?.error instanceof DeterminismViolationError, String(result?.error));
  });

  it('are refused by a history in which an activity has another name', async () => {
    const history = named('webhook-delivery-is-retried');
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    assert.ok(scheduled?.activityTaskScheduledEventAttributes);
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
    const [result] = await replay([{ workflowId: 'renamed', history }]);
    assert.ok(result?.error instanceof DeterminismViolationError, String(result?.error));
  });

  it('are refused by a history in which a plan did not wait for its date', async () => {
    const history = named('plan-on-a-clock-collects');
    const timer = history.events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
    assert.ok(timer > 0);
    // In its place stands something that is no command, under the same number.
    history.events[timer] = signalInPlaceOf(history.events[timer]);
    const [result] = await replay([{ workflowId: 'without a timer', history }]);
    assert.ok(result?.error instanceof DeterminismViolationError, String(result?.error));
  });

  it('left nothing in their histories that names a person, a machine, an address or a secret', () => {
    const texts = histories.map(({ workflowId, history }) => ({ workflowId, text: everyText(history) }));
    const unwanted: [string, RegExp][] = [
      ['an address of the network', /https?:|www\.|localhost|\d+\.\d+\.\d+\.\d+/i],
      ['an e-mail address', /[\w.]+@[\w-]+\.[a-z]{2,}/i],
      ['a path of a machine', /(^|[\s"'(])\/(home|root|work|usr|tmp|var|Users)\b|node_modules/m],
      ['a key or secret', /\b(sk|pk)_(sandbox|live)_|whsec_|client_secret|Bearer|password/i],
      ['a card or account', /tok_sandbox|account_number|card_number|\b\d{15,16}\b/i],
      ['what the tests call a payer', /Test payer/],
    ];
    for (const { workflowId, text } of texts) {
      for (const [what, pattern] of unwanted) {
        assert.equal(pattern.exec(text)?.[0], undefined, `${workflowId} holds ${what}`);
      }
    }
  });
});

function signalInPlaceOf(event: Event | undefined): Event {
  assert.ok(event);
  const { eventId, eventTime, taskId } = event;
  return {
    ...{ eventId, eventTime, taskId, eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED' },
    workflowExecutionSignaledEventAttributes: { signalName: 'nobody hears', input: { payloads: [] } },
  };
}

/** All texts of a history, those within payloads too, one to a line. */
function everyText(value: unknown, key = ''): string {
  if (typeof value === 'string') return key === 'data' ? Buffer.from(value, 'base64').toString() : value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, member]) => everyText(member, Array.isArray(value) ? key : name))
    .join('\n');
}
