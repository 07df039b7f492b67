import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { invariants, violationsOf } from '../../../src/operations/invariants/invariants.ts';
import { useStage } from '../../support/stage.ts';

/** Somebody with all rights changes a dispute by hand. What must be named: it, its payment, its event or its row. */
const planted: Record<string, { result?: 'won' | 'lost'; damage: string; names: ('DISPUTE' | 'PAYMENT' | 'EVENT')[] }> =
  {
    'of another amount': {
      damage: `update disputes set amount = amount + 1 where id = DISPUTE`,
      names: ['DISPUTE'],
    },
    'of another amount, and lost': {
      result: 'lost',
      damage: `update disputes set amount = amount + 1 where id = DISPUTE`,
      names: ['DISPUTE'],
    },
    'won, while its money is held': {
      damage: `update disputes set status = 'won', result = 'won', closes_at = now(), closed_at = now() where id = DISPUTE`,
      names: ['DISPUTE'],
    },
    'open again, while its money has left': {
      result: 'lost',
      damage: `update disputes set status = 'needs_response', closed_at = null where id = DISPUTE`,
      names: ['DISPUTE'],
    },
    gone: { damage: `delete from disputes where id = DISPUTE`, names: ['DISPUTE'] },
    'about more than its payment says that came back': {
      result: 'lost',
      damage: `update payment_intents set total_returned_amount = total_returned_amount - 1 where id = PAYMENT`,
      names: ['PAYMENT'],
    },
    'of a payment that did not come back': {
      damage: `update payment_intents set status = 'failed' where id = PAYMENT`,
      names: ['DISPUTE', 'PAYMENT'],
    },
    'said to be about another amount by its event': {
      damage: `update events set data = (data::jsonb || '{"amount": 1}')::json where id = EVENT`,
      names: ['EVENT'],
    },
  };

describe('a dispute that was changed by hand', () => {
  const stage = useStage({ isDamaged: true });

  async function make(result?: 'won' | 'lost') {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T10:00:00Z');
    const payment_method = await stage.merchant.card(payer.id);
    const { id } = await stage.merchant.intent({ customer_id: payer.id, payment_method, confirm: true });
    const body = result === undefined ? {} : { result };
    const opened = await stage.request('POST', `/test_helpers/payment_intents/${id}/dispute`, body);
    await stage.advance(clock.id, '2027-03-15T00:00:00Z');
    const [event] = await stage.db.sql<{ id: string }[]>`
      select id from events where subject_id = ${opened.body.id} and event_type = 'dispute.opened'`;
    return { DISPUTE: String(opened.body.id), PAYMENT: id, EVENT: event?.id ?? '' };
  }

  async function found(): Promise<string[]> {
    const violations = [];
    for (const invariant of invariants) {
      if (!invariant.isDoubt) violations.push(...(await violationsOf(stage.db.sql, invariant)));
    }
    return violations.map(({ id }) => id);
  }

  for (const [error, { result, damage, names }] of Object.entries(planted)) {
    it(`is found and named if it is ${error}`, async () => {
      const ids = await make(result);
      const before = await found();
      for (const name of names) assert.ok(!before.includes(ids[name]), name);
      const statement = Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(name, `'${id}'`), damage);
      await stage.db.sql.unsafe(statement);
      const offenders = await found();
      for (const name of names) assert.ok(offenders.includes(ids[name]), `${name} not in ${offenders}`);
    });
  }
});
