import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { useStage } from '../support/stage.ts';
import { clock } from './bodies.ts';
import { putClocksAway } from './requests.ts';
import { type FieldRow, itShowsFields, itTakesFields, once, type Refused, type ShownRow } from './rows.ts';
import { itIsTheTable } from './tables.ts';

const path = '/test_helpers/test_clocks';
const monthMs = 30 * 86_400_000;

const taken: readonly FieldRow[] = [
  {
    field: 'frozen_time',
    rule: 'a date-time, required',
    required: true,
    accepts: ['2027-01-10T00:00:00.000Z', '2019-12-31T23:59:59.999Z'],
    refuses: [
      ...['2027-01-10', '2027-01-10T00:00:00', '2027-02-30T00:00:00Z', 'now', ''].map(
        (time): Refused => [time, 'invalid_format'],
      ),
      ...[null, 0, 1_800_000_000, {}].map((time): Refused => [time, 'invalid_type']),
      ...['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '2201-01-01T00:00:00Z', '1969-12-31T23:59:59Z'].map(
        (time): Refused => [time, 'out_of_range'],
      ),
    ],
  },
  { field: 'name', rule: 'a string, optional', accepts: ['Renewals'], refuses: [[7, 'invalid_type']] },
];

const shown: readonly ShownRow[] = [
  { field: 'id', rule: 'clk_...', is: /^clk_\w+$/ },
  { field: 'object', rule: 'the constant test_clock', is: ['test_clock'] },
  { field: 'name', rule: 'a string or null', is: 'text', nullable: true },
  { field: 'status', rule: 'created, advancing, ready or failed', is: ['created', 'advancing', 'ready', 'failed'] },
  { field: 'frozen_time', rule: 'a date-time', is: 'date-time' },
  { field: 'expires_at', rule: 'a date-time', is: 'date-time' },
  { field: 'last_advanced_at', rule: 'a date-time or null', is: 'date-time', nullable: true },
  { field: 'livemode', rule: 'the constant false', is: [false] },
];

describe('Test clock', () => {
  const stage = useStage();
  const create = async (body: unknown) => {
    await putClocksAway(stage);
    return stage.request('POST', path, body);
  };

  describe('a create accepts', () => {
    itTakesFields(taken, {
      body: clock,
      send: create,
      accepted: 201,
      refused: 422,
      shown: ({ body }) => body,
    });
  });

  describe('a response has', () => {
    const samples = once(async () => {
      const named = await stage.request('POST', path, clock({ name: 'Renewals' }));
      const { id } = named.body;
      const advancing = await stage.request('POST', `${path}/${id}/advance`, { frozen_time: '2027-01-11T00:00:00Z' });
      assert.equal(advancing.status, 202);
      const during = await stage.request('GET', `${path}/${id}`);
      await stage.carryOut(id);
      const after = await stage.request('GET', `${path}/${id}`);
      return [named.body, during.body, after.body, (await create(clock())).body];
    });
    itIsTheTable(
      'clock',
      ['Field'],
      shown.map(({ field }) => [field]),
    );
    itShowsFields(shown, samples);

    it('frozen_time: the simulated time of the clock’s customers', async () => {
      const made = await stage.merchant.clock('2027-01-10T00:00:00Z');
      const customer = await stage.merchant.customer({ test_clock: made.id });
      assert.equal(customer.created_at, made.frozen_time);
    });

    it('expires_at: 30 days after creation on the wall clock, not after frozen_time', async () => {
      const { expires_at } = await stage.merchant.clock('2019-01-01T00:00:00Z');
      assert.ok(Math.abs(Date.parse(expires_at) - monthMs - realNow().getTime()) < 60_000);
    });

    it('last_advanced_at: the wall-clock time at which the last advance was complete', async () => {
      const { id } = await stage.merchant.clock('2019-01-01T00:00:00Z');
      const before = realNow().getTime();
      await stage.advance(id, '2019-01-02T00:00:00Z');
      const { last_advanced_at } = await stage.merchant.getClock(id);
      assert.ok(Date.parse(last_advanced_at ?? '') >= before);
    });
  });
});
