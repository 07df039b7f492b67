import assert from 'node:assert/strict';
import { customerInstant } from '../../../src/domain/instants.ts';
import {
  changeNoticeDueBy,
  type MandateNotice,
  mostNotices,
  withNoticeDue,
  withNoticeSent,
} from '../../../src/domain/mandates/mandate-notices.ts';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';

const open: MandateNotice = { kind: 'amount_changed', due_by: '2027-03-10', sent_at: null, channel: null };
const sentAt = customerInstant('2027-03-01T00:00:00Z');
const sent = { sent_at: '2027-03-01T00:00:00.000Z', channel: 'email' } as const;

describe('a notice that is due to a payer', () => {
  it('is added to those of other kinds, and to those that were sent', () => {
    const others = [
      { ...open, ...sent },
      { ...open, kind: 'confirmation' as const },
    ];
    assert.deepEqual(withNoticeDue(others, 'amount_changed', '2027-04-01'), {
      notices: [...others, { ...open, due_by: '2027-04-01' }],
      isNew: true,
    });
  });

  it('stays the only open one of its kind, with the earlier date', () => {
    for (const [dueBy, expected] of [
      ['2027-03-09', '2027-03-09'],
      ['2027-03-11', '2027-03-10'],
      [null, '2027-03-10'],
    ] as const) {
      assert.deepEqual(withNoticeDue([open], 'amount_changed', dueBy), {
        notices: [{ ...open, due_by: expected }],
        isNew: false,
      });
    }
  });

  it('is sent once, and a notice that was not due is added as sent', () => {
    const confirmed = withNoticeSent([open], { kind: 'confirmation', sentAt, channel: 'email' });
    assert.deepEqual(confirmed, [open, { kind: 'confirmation', due_by: null, ...sent }]);
    const told = withNoticeSent([open], { kind: 'amount_changed', sentAt, channel: 'email' });
    assert.deepEqual(told, [{ ...open, ...sent }]);
    const again = withNoticeSent(told ?? [], { kind: 'amount_changed', sentAt, channel: 'email' });
    assert.deepEqual(again, [
      { ...open, ...sent },
      { ...open, due_by: null, ...sent },
    ]);
  });

  it('has no room on a mandate with as many as it keeps, but one of them can still be sent', () => {
    const full = Array.from({ length: mostNotices }, () => ({ ...open, ...sent }));
    assert.deepEqual(withNoticeDue(full, 'amount_changed', '2027-04-01'), { notices: full, isNew: false });
    assert.equal(withNoticeSent(full, { kind: 'terms_changed', sentAt, channel: 'letter' }), null);
    const last = [...full.slice(1), open];
    assert.deepEqual(withNoticeSent(last, { kind: 'amount_changed', sentAt, channel: 'email' }), full);
  });

  it('about a change is due 14 days before the debit that has it', () => {
    assert.equal(changeNoticeDueBy(auBecs, '2027-03-10'), '2027-02-24');
  });
});
