import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

describe('the table of mandates', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  /** Whether PostgreSQL takes this change of a mandate, which is then undone. */
  async function takes(id: string, change: Record<string, unknown>): Promise<boolean> {
    const { sql } = stage.db;
    const undone = Symbol('undone');
    return sql
      .begin(async (tx) => {
        await tx`update mandates set ${tx(change)} where id = ${id}`;
        throw undone;
      })
      .then(
        () => false,
        (error: unknown) => error === undone,
      );
  }
  const now = new Date('2027-01-01T00:00:00Z');
  const end = { status_reason: 'requested', ended_at: now };

  const changes: [title: string, of: 'pending' | 'active', change: Record<string, unknown>, isTaken: boolean][] = [
    ['a canceled one with reason and time', 'active', { status: 'canceled', ...end }, true],
    ['a canceled one without a time', 'active', { status: 'canceled', status_reason: 'requested' }, false],
    ['a canceled one without a reason', 'active', { status: 'canceled', ended_at: now }, false],
    ['an active one with a time of its end', 'active', end, false],
    ['a pending one that was accepted', 'active', { status: 'pending' }, false],
    ['an active one that was not accepted', 'pending', { status: 'active' }, false],
    ['an expired one that was not accepted', 'pending', { status: 'expired', ...end }, false],
    ['one accepted online without an address', 'active', { ip_address: null }, false],
    ['one accepted without the name of who agreed', 'active', { signatory_name: null }, false],
    ['one accepted on paper without a text', 'active', { acceptance_type: 'paper', text_sha256: null }, false],
    ['one with a text that is not stored', 'active', { text_sha256: '0'.repeat(64) }, false],
    ['one with a limit of nothing', 'active', { max_amount_cents: 0 }, false],
  ];
  for (const [title, of, change, isTaken] of changes) {
    it(`${isTaken ? 'takes' : 'refuses'} a changed mandate: ${title}`, async () => {
      const { id } = of === 'active' ? await here.active() : await here.pending();
      assert.equal(await takes(id, change), isTaken);
    });
  }

  it('refuses a second one of an account, as long as the first has not ended', async () => {
    const [first, second] = [await here.pending(), await here.pending()];
    const move = { payment_method_id: first.payment_method_id };
    assert.equal(await takes(second.id, move), false);
    await here.cancel(first.id);
    assert.equal(await takes(second.id, move), true);
  });

  it('refuses a reference that another mandate of the biller has', async () => {
    const [first, second] = [await here.pending(), await here.pending()];
    assert.equal(await takes(second.id, { reference: first.reference }), false);
  });
});
