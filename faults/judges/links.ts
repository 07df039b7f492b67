import type { Evidence, Finding } from '../evidence.ts';

/**
 * P1, P3 and P6 of payment links: what a link counts is what the processor has taken under its amount, no more than it
 * takes, each payment was announced once, and every payer who was thanked is counted.
 */
export function judgeLinks({ links, ledger, attempts, accounts }: Evidence): Finding[] {
  const events = accounts.flatMap((account) => account.events);
  const approved = new Set(attempts.filter(({ outcome }) => outcome === 'succeeded').map(({ id }) => id));
  return links.flatMap(({ link, thanked }) => {
    const findings: Finding[] = [];
    const find = (promise: Finding['promise'], what: string) => findings.push({ promise, what: `${link.id} ${what}` });
    const { amount, payments_count: count, max_payments: most, collected_amount: collected, status } = link;
    const charges = ledger.filter((entry) => entry.kind === 'charge' && entry.amount === amount);
    // After a challenge, the payer's bank has the last word; the processor's ledger has only the challenge.
    const taken = charges.filter(
      ({ outcome, idempotency_key: key }) =>
        outcome === 'succeeded' || (outcome === 'requires_action' && approved.has(key)),
    );
    const paid = new Set(taken.map((entry) => entry.idempotency_key)).size;
    if (paid !== count) find('P6', `counts ${count} payments, and ${paid} were made`);
    if (collected !== count * (amount ?? 0)) find('P6', `has collected ${collected} by ${count} payments of ${amount}`);
    if (most !== null && paid > most) find('P1', `was paid ${paid} times, of ${most}`);
    const isFull = count === most;
    if (status === 'completed' && !isFull) find('P6', `is completed by ${count} payments, of ${most}`);
    if (status === 'open' && isFull) find('P6', `is open, though it has taken all its ${most} payments`);
    if (thanked > count) find('P3', `counts ${count} payments, and ${thanked} payers were thanked`);
    const told = (type: string) =>
      events.filter((event) => event.event_type === type && 'id' in event.data && event.data.id === link.id).length;
    const completions = status === 'completed' ? 1 : 0;
    for (const [type, due] of [
      ['payment_link.paid', count],
      ['payment_link.completed', completions],
    ] as const) {
      if (told(type) !== due) find('P5', `has ${told(type)} events ${type}, of ${due}`);
    }
    return findings;
  });
}
