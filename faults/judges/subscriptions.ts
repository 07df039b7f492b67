import type { Evidence, Finding } from '../evidence.ts';

/**
 * P1 and P2 of subscriptions: their periods are numbered without a gap and begin where the last one ended, each has a
 * payment of its own, and as many are paid as the processor has taken payments under the amount.
 */
export function judgeSubscriptions({ subscriptions, ledger }: Evidence): Finding[] {
  return subscriptions.flatMap(({ id, amount, periods }) => {
    const findings: Finding[] = [];
    const find = (promise: Finding['promise'], what: string) => findings.push({ promise, what: `${id} ${what}` });
    const inOrder = periods.toSorted((a, b) => a.number - b.number);
    for (const [index, { number, start }] of inOrder.entries()) {
      if (number !== index + 1) find('P2', `has no period ${index + 1}`);
      const before = inOrder[index - 1];
      if (before !== undefined && before.end !== start)
        find('P2', `begins ${start}, though the last ended ${before.end}`);
    }
    const opened = inOrder.flatMap(({ payment_intent_id: intent }) => intent ?? []);
    if (new Set(opened).size < opened.length) find('P1', 'has one payment for two periods');
    const taken = ledger.filter((entry) => entry.kind === 'charge' && entry.amount === amount);
    const succeeded = taken.filter(({ outcome }) => outcome === 'succeeded');
    const paid = inOrder.filter(({ kind, status }) => kind === 'paid' && status === 'paid').length;
    const times = new Set(succeeded.map((entry) => entry.idempotency_key)).size;
    if (times > paid) find('P1', `was charged ${times} times for ${paid} paid periods`);
    if (times < paid) find('P2', `has ${paid} paid periods, and was charged ${times} times`);
    return findings;
  });
}
