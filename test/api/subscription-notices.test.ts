import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('a change of what a subscription takes by bank debit', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);
  const items = (amount: number) => [{ name: 'Membership', unit_amount_cents: amount }];

  /** A subscription whose first period the bank has collected, on 20 January. */
  async function started(terms: object = {}): Promise<{ id: string; mandate: string }> {
    const account = await debtor.account(here.customer);
    const { id: mandate } = await debtor.active({ payment_method_id: account });
    const id = await subscriber.started({ payment_instrument_id: account, ...terms });
    await here.advance('2027-01-20T00:00:00Z');
    return { id, mandate };
  }

  async function change(id: string, body: object): Promise<void> {
    const reply = await stage.request('POST', `/subscriptions/${id}/change`, body);
    assert.equal(reply.status, 200, reply.text);
  }

  /** The dates by which the payer is to be told of another amount. */
  async function due(mandate: string): Promise<(string | null)[]> {
    const { notices } = await debtor.get(mandate);
    return notices.filter(({ kind }) => kind === 'amount_changed').map(({ due_by }) => due_by);
  }

  for (const [how, body, date] of [
    ['from the next period on', {}, '2027-01-27'],
    ['now, with the days that are left in the next period', { when: 'now' }, '2027-01-27'],
    ['now, with a debit of its own', { when: 'now', collect: 'now' }, '2027-01-06'],
  ] as const) {
    it(`calls for a notice to the payer: ${how}`, async () => {
      const { id, mandate } = await started();
      await change(id, { items: items(9000), ...body, dry_run: true });
      assert.deepEqual(await due(mandate), [], 'a quote changes nothing');
      await change(id, { items: items(9000), ...body });
      assert.deepEqual(await due(mandate), [date]);
      const told = (await stage.merchant.events()).filter(({ event_type: type }) => type === 'mandate.notice_due');
      assert.equal(told.at(-1)?.data.id, mandate);
      assert.deepEqual(await findViolations(stage.db.sql), []);
    });
  }

  it('calls for a notice if less is debited, too', async () => {
    const { id, mandate } = await started();
    await change(id, { items: items(100) });
    assert.deepEqual(await due(mandate), ['2027-01-27']);
  });

  it('calls for a notice before the first debit after a trial', async () => {
    const trial = await started({ trial_days: 30 });
    await change(trial.id, { items: items(9000), when: 'now' });
    assert.deepEqual(await due(trial.mandate), ['2027-01-26']);
  });

  it('calls for none if the amounts stay as they are, or a card pays', async () => {
    const { id, mandate } = await started();
    await change(id, { items: [{ name: 'Club', unit_amount_cents: 2450, quantity: 2 }] });
    await stage.request('PUT', `/subscriptions/${id}`, {
      payment_instrument_id: await stage.merchant.card(here.customer),
    });
    await change(id, { items: items(9000) });
    assert.deepEqual(await due(mandate), []);
  });
});
