import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ClockEffect, DryRun } from '../../src/resources/clock-effect.ts';
import { comparableEffect } from '../support/comparable-effect.ts';
import { useService } from '../support/service.ts';

describe('a dry run beside the advance that Temporal carries out', () => {
  const service = useService();

  it('returns every effect beforehand, each at the instant at which it then happens', async () => {
    const merchant = await service.merchant();
    const { id: clock } = await merchant.clock('2027-01-04T10:00:00Z');
    const outcomes = ['succeed', 'decline,decline,succeed', 'decline'];
    for (const _sandbox_outcome of outcomes) {
      const payer = await merchant.payer({ test_clock: clock });
      const terms = { customer_id: payer.id, start_date: '2027-01-08', metadata: { _sandbox_outcome } };
      await merchant.activePlan(terms);
      await merchant.activePlan({ ...terms, frequency_period: 2, start_date: '2027-01-06', total_amount_cents: 1500 });
    }
    const path = `/test_helpers/test_clocks/${clock}`;
    const target = '2027-01-18T10:00:00.000Z';
    const dryRun = await merchant.request('POST', `${path}/advance`, { frozen_time: target, dry_run: true });
    assert.equal(dryRun.status, 200, dryRun.text);
    const predicted: DryRun = dryRun.body;

    const ready = await merchant.advance(clock, target);
    const effects = await merchant.request('GET', `${path}/effects?limit=100`);
    const done: ClockEffect[] = effects.body.data;
    assert.deepEqual(predicted.effects.map(comparableEffect).sort(), done.map(comparableEffect).sort());
    assert.ok(done.length > 15, `only ${done.length} effects`);
    assert.deepEqual(ready.last_advance?.effects_manifest, predicted.effects_manifest);
    assert.equal(ready.last_advance?.id, done[0]?.advance_id);
  });
});
