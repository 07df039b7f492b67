import assert from 'node:assert/strict';
import type { Event, SubscriptionPeriod } from '@payments-service/client';
import { activate, newCourse } from '../../demo/rules.ts';
import type { Evidence, Finding, TakenRow } from '../../faults/evidence.ts';
import { openedAt } from '../../faults/judges/charges.ts';
import type { ClockHistory } from '../../faults/load/clocks.ts';
import { judge } from '../../faults/verdict.ts';
import { newId } from '../../src/domain/ids.ts';
import { realNow } from '../../src/platform/real-time.ts';
import {
  arrival,
  attemptId,
  charge,
  event,
  exchange,
  intentId,
  linkEvents,
  paidLink,
  refund,
  sound,
} from './evidence.ts';

/** What the judges find when this was doctored: the promise that was broken, and words that say how. */
function assertFound(doctored: Partial<Evidence>, promise: Finding['promise'], words: RegExp): void {
  const findings = judge(sound(doctored));
  const found = findings.map((finding) => `${finding.promise}: ${finding.what}`).join('\n');
  assert.ok(
    findings.some((finding) => finding.promise === promise && words.test(finding.what)),
    `no finding of ${promise} about ${words}, but:\n${found || 'none at all'}`,
  );
}

describe('the judges of a fault run', () => {
  it('find nothing when every promise was kept', () => {
    assert.deepEqual(judge(sound()), []);
  });

  describe('P1, no double charge', () => {
    it('counts calls under one key as one charge', () => {
      assert.deepEqual(judge(sound({ ledger: [charge(), charge(), charge(), refund()] })), []);
    });
    it('finds a second key that succeeded for one payment', () => {
      const ledger = [charge(), charge({ idempotency_key: 'att_other' }), refund()];
      assertFound({ ledger }, 'P1', /2 of 2 attempts have succeeded, at most 1 were due/);
    });
    it('finds an attempt too many, though it has failed', () => {
      const ledger = [charge(), charge({ idempotency_key: 'att_other', outcome: 'failed' }), refund()];
      assertFound({ ledger }, 'P1', /at most 1 attempts were to be made/);
    });
    it('finds a charge that was not requested', () => {
      const ledger = [charge(), refund(), charge({ idempotency_key: 'att_other', amount: 777 })];
      assertFound({ ledger }, 'P1', /1 charges of 777, which was not requested/);
    });
    it('finds a key that was used for two amounts', () => {
      assertFound({ ledger: [charge(), charge({ amount: 501 }), refund()] }, 'P1', /asked for 500, and for 501/);
    });
    it('finds a charge that was opened after its plan was ended', () => {
      const ended = { amount: 500, what: 'a plan', succeeded: [0, 1], attempts: [0, 1] } as const;
      assertFound(
        { claims: [{ ...ended, notAfter: openedAt(attemptId) - 1 }] },
        'P1',
        /opened after the plan was ended/,
      );
      assert.deepEqual(judge(sound({ claims: [{ ...ended, notAfter: openedAt(attemptId) }] })), []);
    });
    it('finds it though the clock of the process was an hour off, and blames no such clock for it', () => {
      const claim = { amount: 500, what: 'a plan', succeeded: [0, 1], attempts: [0, 1] } as const;
      const at = openedAt(attemptId);
      for (const offMs of [3_600_000, -3_600_000]) {
        const ledger = [{ ...charge({ opened_at: new Date(at + offMs).toISOString() }), seenAt: at + 40 }, refund()];
        assertFound({ ledger, claims: [{ ...claim, notAfter: at - 1 }] }, 'P1', /opened after the plan was ended/);
        assert.deepEqual(judge(sound({ ledger, claims: [{ ...claim, notAfter: at }] })), []);
      }
    });
    it('reads from an id when it was made', () => {
      const before = realNow().getTime();
      const at = openedAt(newId('payment_attempt'));
      assert.ok(at >= before && at <= realNow().getTime());
      assert.equal(openedAt(newId('payment_intent', { livemode: false })) - at < 1_000, true);
    });
    it('finds a refund that was given twice for one request', () => {
      const ledger = [charge(), refund(), refund({ idempotency_key: 're_2' })];
      assertFound({ ledger }, 'P1', /2 refunds of .*, of which 1 were requested/);
    });
  });

  describe('P2, one final outcome for each due slot', () => {
    it('finds a due payment that was never taken', () => {
      assertFound({ ledger: [refund()] }, 'P2', /0 of 0 attempts have succeeded, 1 were due/);
    });
    it('finds a due payment that was only tried', () => {
      assertFound({ ledger: [charge({ outcome: 'failed' }), refund()] }, 'P2', /0 of 1 attempts have succeeded/);
    });
    it('finds attempts that were to be made and were not', () => {
      const claims = [{ amount: 500, what: 'a plan', succeeded: [1, 1], attempts: [3, 3] } as const];
      assertFound({ claims: [...claims] }, 'P2', /3 attempts were to be made/);
    });
  });

  describe('P3 and P4, responses', () => {
    it('finds what a response promised and cannot be read', () => {
      assertFound(
        { unreadable: [{ id: 'cus_1', response: '404' }] },
        'P3',
        /cus_1 was in a response, and now GET returns 404/,
      );
    });
    it('finds two responses under one key', () => {
      const [first] = exchange().responses;
      const second = { status: 201, text: '{"id":"re_2","amount":100}', at: 1 };
      assertFound(
        { exchanges: [exchange({ responses: [first ?? second, second] })] },
        'P4',
        /has 2 responses under one key/,
      );
    });
    it('finds a repetition that was answered with other bytes', () => {
      const repetitions = [{ exchange: exchange(), status: 201, text: '{"amount":100,"id":"re_1"}' }];
      assertFound({ repetitions }, 'P4', /with other bytes/);
    });
    it('finds a repetition that was refused', () => {
      const repetitions = [{ exchange: exchange(), status: 422, text: '{"error":{}}' }];
      assertFound({ repetitions }, 'P4', /returned 201, and its repetition 422/);
    });
  });

  describe('P5, events', () => {
    it('allow an event to come twice', () => {
      assert.deepEqual(judge(sound({ arrivals: [arrival(1), arrival(2), arrival(2)] })), []);
    });
    it('finds an event that never arrived', () => {
      assertFound({ arrivals: [arrival(1)] }, 'P5', /evt_2 was never delivered/);
    });
    it('does not take for delivered what the receiver has refused', () => {
      const arrivals = [arrival(1), arrival(2, { behaviour: 'fails', accepted: false })];
      assertFound({ arrivals }, 'P5', /evt_2 was never delivered/);
    });
    it('finds an event that arrived and was never committed', () => {
      assertFound({ arrivals: [arrival(1), arrival(2), arrival(3)] }, 'P5', /evt_3 was delivered, and never committed/);
    });
    it('finds an event that arrived with other contents', () => {
      const forged = { ...arrival(2).event, created_at: '2026-01-02T00:00:00.000Z' };
      assertFound({ arrivals: [arrival(1), arrival(2, { event: forged })] }, 'P5', /evt_2 was delivered with other/);
    });
    it('finds a gap in the sequence', () => {
      const accounts = [{ name: 'shop', events: [event(1), event(3)], endpoints: ['shop-steady'], waits: [] }];
      assertFound({ accounts, arrivals: [arrival(1), arrival(3)] }, 'P5', /have a gap at 3/);
    });
    it('finds a webhook that is not rightly signed', () => {
      assertFound({ refusedWebhooks: ['POST /shop-steady: no'] }, 'P5', /POST \/shop-steady: no/);
    });
    describe('of which a receiver has asked to wait', () => {
      const asked = arrival(2, { behaviour: 'asks to wait', accepted: false });
      const again = (at: number) => [arrival(1), asked, arrival(2, { at })];
      const waits = [{ endpoint: 'shop-steady', eventId: 'evt_2', at: asked.at }];
      const accounts = sound().accounts.map((account) => ({ ...account, waits }));
      it('are found when they come earlier', () => {
        assertFound({ accounts, arrivals: again(4_000) }, 'P5', /evt_2 came again before the time of Retry-After/);
      });
      it('may come after that', () => {
        assert.deepEqual(judge(sound({ accounts, arrivals: again(9_000) })), []);
      });
      it('may come when the biller itself has asked for them', () => {
        assert.deepEqual(judge(sound({ accounts, arrivals: again(4_000), replayedFrom: 3_000 })), []);
      });
      it('may come when the sender has died before it recorded the response', () => {
        assert.deepEqual(judge(sound({ arrivals: again(4_000) })), []);
      });
    });
  });

  describe('P6, money', () => {
    const kept = { payment_intent_id: intentId, outcome: 'succeeded', amount: 500, livemode: false };
    const theAttempt = { id: attemptId, ...kept };
    it('finds a charge of which our tables know nothing', () => {
      assertFound({ attempts: [] }, 'P6', /succeeded at the processor, and unknown here/);
    });
    it('does not miss what was deleted with its clock', () => {
      const claims = [{ amount: 500, what: 'a plan', succeeded: [1, 1], attempts: [1, 1], isDeleted: true } as const];
      assert.deepEqual(judge(sound({ attempts: [], claims: [...claims] })), []);
    });
    it('finds a success in our tables of which the processor knows nothing', () => {
      const row = { id: 'att_2', ...kept };
      assertFound({ attempts: [...sound().attempts, row] }, 'P6', /is unknown to the processor/);
    });
    it('finds an outcome that is another here than there', () => {
      const attempts = [{ ...theAttempt, outcome: 'failed' }];
      assertFound({ attempts }, 'P6', /succeeded at the processor, failed here/);
    });
    it('finds an amount that is another here than there', () => {
      const attempts = [{ ...theAttempt, amount: 499 }];
      assertFound({ attempts }, 'P6', /of 500 at the processor, of 499 here/);
    });
    it('finds a live attempt that the sandbox’s processor was asked for, or both', () => {
      const attempts = [{ ...theAttempt, livemode: true }];
      const words = /is in the ledger of the other mode's processor/;
      assertFound({ attempts }, 'P9', words);
      assertFound({ attempts, ledger: [charge(), charge({ livemode: true }), refund()] }, 'P9', words);
      assert.deepEqual(judge(sound({ attempts, ledger: [charge({ livemode: true }), refund()] })), []);
    });
    it('finds a refund that was answered and not given', () => {
      assertFound({ ledger: [charge()] }, 'P6', /which the processor has not made/);
    });
    it('finds a broken invariant of the database', () => {
      const violations = [{ invariant: 'a payment intent succeeds at most once', id: 'pi_1', detail: '2' }];
      assertFound({ violations }, 'P6', /does not hold: a payment intent succeeds at most once/);
    });
  });

  describe('payment links', () => {
    const link = (over: Partial<Evidence['links'][number]['link']> = {}, thanked = 1) => ({
      links: [{ link: { ...paidLink, ...over }, thanked }],
      accounts: [{ name: 'shop', events: linkEvents('paid', 'completed'), endpoints: [], waits: [] }],
      arrivals: [],
    });

    it('find nothing when a link counts what was taken, and its payer was thanked', () => {
      assert.deepEqual(judge(sound(link())), []);
    });
    it('finds a link that was paid more often than it takes, or than it counts', () => {
      const ledger = [charge(), charge({ idempotency_key: 'att_other' }), refund()];
      assertFound({ ...link(), ledger }, 'P1', /lnk_1 was paid 2 times, of 1/);
      assertFound({ ...link(), ledger }, 'P6', /lnk_1 counts 1 payments, and 2 were made/);
      assertFound({ ...link({ collected_amount: 400 }) }, 'P6', /lnk_1 has collected 400 by 1 payments of 500/);
    });
    it('finds a payer who was thanked and is not counted', () => {
      assertFound(link({}, 2), 'P3', /lnk_1 counts 1 payments, and 2 payers were thanked/);
    });
    it('finds a link whose status does not fit what it counts', () => {
      assertFound(link({ status: 'open' }), 'P6', /lnk_1 is open, though it has taken all its 1 payments/);
      assertFound(link({ max_payments: 2 }), 'P6', /lnk_1 is completed by 1 payments, of 2/);
    });
    it('finds a payment of a link that was announced twice, and a completion that was not', () => {
      const accounts = [{ name: 'shop', events: linkEvents('paid', 'paid'), endpoints: [], waits: [] }];
      assertFound({ ...link(), accounts }, 'P5', /lnk_1 has 2 events payment_link.paid, of 1/);
      assertFound({ ...link(), accounts }, 'P5', /lnk_1 has 0 events payment_link.completed, of 1/);
    });
    it('counts a challenge that the payer has passed, and finds one that was passed without a payer', () => {
      const ledger = [charge({ outcome: 'requires_action' }), refund()];
      const claim = { amount: 500, what: 'a link', succeeded: [0, 0], attempts: [1, 1] } as const;
      assert.deepEqual(judge(sound({ ...link(), ledger, claims: [{ ...claim, isChallenged: true }] })), []);
      assertFound({ ledger, claims: [claim] }, 'P6', /is requires_action at the processor, succeeded here/);
    });
  });

  describe('subscriptions', () => {
    const period = (number: number, start: string, end: string) =>
      ({ number, start, end, status: 'paid', kind: 'paid', payment_intent_id: `pi_${number}` }) as SubscriptionPeriod;
    const periods = [period(1, '2027-01-01', '2027-01-08'), period(2, '2027-01-08', '2027-01-15')];
    const charges = [charge(), charge({ idempotency_key: 'att_2' })];
    const attempts = charges.map(({ idempotency_key: id }) => ({ ...(sound().attempts[0] as TakenRow), id }));
    const claims = [{ amount: 500, what: 'a subscription', succeeded: [2, 2], attempts: [2, 2] } as const];
    const sold = (of: SubscriptionPeriod[], ledger = charges) => ({
      ...{ claims: [...claims], attempts, ledger: [...ledger, refund()] },
      subscriptions: [{ id: 'sub_1', amount: 500, periods: of }],
    });

    it('find nothing when each period has begun where the last ended, and was paid once', () => {
      assert.deepEqual(judge(sound(sold(periods.toReversed()))), []);
    });
    it('finds a period that is missing, and one that leaves a gap', () => {
      assertFound(sold([period(2, '2027-01-08', '2027-01-15')]), 'P2', /sub_1 has no period 1/);
      const later = [periods[0] as SubscriptionPeriod, period(2, '2027-01-09', '2027-01-16')];
      assertFound(sold(later), 'P2', /sub_1 begins 2027-01-09, though the last ended 2027-01-08/);
    });
    it('finds one payment for two periods, and a period that was charged twice or never', () => {
      const shared = periods.map((one) => ({ ...one, payment_intent_id: 'pi_1' }));
      assertFound(sold(shared), 'P1', /sub_1 has one payment for two periods/);
      assertFound(sold(periods.slice(0, 1)), 'P1', /sub_1 was charged 2 times for 1 paid periods/);
      assertFound(sold(periods, charges.slice(0, 1)), 'P2', /sub_1 has 2 paid periods, and was charged 1 times/);
    });
  });

  describe('bank debits, by what the account is told', () => {
    const claim = {
      amount: 500,
      what: 'a debit',
      succeeded: [0, 0],
      attempts: [1, 1],
      debits: { succeeded: [1, 1], returned: [1, 1], failed: [0, 0] },
    } as const;
    const told = (...steps: string[]) => {
      const events = steps.map(
        (step, index) => ({ ...event(index + 1), event_type: `payment_intent.${step}` }) as Event,
      );
      return {
        accounts: [{ name: 'shop', events, endpoints: [], waits: [] }],
        arrivals: [],
        exchanges: [],
        repetitions: [],
        refunds: [],
      };
    };
    const attempts = (outcome: string) => [{ ...(sound().attempts[0] as TakenRow), outcome }];
    const handedOver = { ledger: [charge({ outcome: 'submitted' })], claims: [claim], attempts: attempts('returned') };
    const course = ['processing', 'succeeded', 'returned'];

    it('finds nothing when one was handed over, succeeded and came back', () => {
      assert.deepEqual(judge(sound({ ...handedOver, ...told(...course) })), []);
    });
    it('finds one that was handed over twice, or never', () => {
      const twice = [...handedOver.ledger, charge({ outcome: 'submitted', idempotency_key: 'att_other' })];
      assertFound({ ...handedOver, ...told(...course), ledger: twice }, 'P1', /at most 1 attempts were to be made/);
      assertFound({ ...handedOver, ...told(...course), ledger: [] }, 'P2', /1 attempts were to be made/);
      assertFound({ ...handedOver, ...told(...course), ledger: [] }, 'P6', /returned here, and is unknown to the proc/);
    });
    it('finds a result that was never told, or told twice', () => {
      assertFound({ ...handedOver, ...told('processing', 'returned') }, 'P2', /a debit: 0 succeeded, of 1/);
      assertFound({ ...handedOver, ...told('succeeded', ...course) }, 'P1', /a debit: 2 succeeded, of 1/);
      assertFound({ ...handedOver, ...told(...course, 'failed') }, 'P1', /a debit: 1 failed, of 0/);
    });
    it('finds a return that was never told, or told twice, and money that is kept here and is not by the events', () => {
      assertFound({ ...handedOver, ...told('succeeded') }, 'P6', /a debit: 0 returned, of 1/);
      assertFound({ ...handedOver, ...told(...course, 'returned') }, 'P6', /a debit: 2 returned, of 1/);
      const kept = { ...handedOver, attempts: attempts('succeeded') };
      assertFound({ ...kept, ...told(...course) }, 'P6', /a debit: 1 here, 0 by the events/);
    });
  });

  it('P8 finds an event of a plan on a clock that the calendar does not have, and one that is missing', () => {
    const terms = { every: 'week', period: 1, start: '2027-01-01', amount: 500, total: null } as const;
    const course = newCourse(terms, 'good', Date.UTC(2027, 0, 1, 9));
    activate(course);
    const plan = {
      label: 'pp_1',
      planId: 'pp_1',
      customerId: 'cus_1',
      cards: { good: 'pm_1', declining: null },
      course,
    };
    const account = { name: 'shop' } as ClockHistory['account'];
    const plans = [{ ...plan, amounts: { whole: 500, rest: null } }];
    // The plan was activated and paid: two events, and none has arrived.
    assertFound({ histories: [{ account, plans }] }, 'P8', /pp_1, events, how many: expected 2, got 0/);
    const none = [{ ...plan, course: newCourse(terms, 'good', 0), amounts: { whole: 500, rest: null } }];
    const data = { ...event(2).data, payment_plan_id: 'pp_1' };
    const stranger = arrival(2, { event: { ...arrival(2).event, data } as ReturnType<typeof arrival>['event'] });
    assertFound({ histories: [{ account, plans: none }], arrivals: [arrival(1), stranger] }, 'P8', /expected 0, got 1/);
  });

  it('P9 finds a change of what the load does not touch', () => {
    assertFound({ bystander: { before: 'abc', after: 'abd' } }, 'P9', /has changed: from abc to abd/);
  });

  it('finds what is stuck', () => {
    assertFound({ stuck: ['1 slots in processing'] }, 'stuck', /1 slots in processing/);
  });
});
