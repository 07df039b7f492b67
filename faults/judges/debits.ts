import type { Event } from '@payments-service/client';
import type { Evidence, Finding, Promised } from '../evidence.ts';
import type { Claim } from '../load/world.ts';

const steps = ['succeeded', 'returned', 'failed'] as const;
const promises: Record<(typeof steps)[number], [tooFew: Promised, tooMany: Promised]> = {
  succeeded: ['P2', 'P1'],
  returned: ['P6', 'P6'],
  failed: ['P2', 'P1'],
};

/**
 * P1, P2 and P6 of bank debits. Their outcome is not in the ledger: the account is told of each result and each return
 * once, none is told to have failed once it had succeeded, and what is left by the account's events is what our tables
 * say: successes minus returns.
 */
export function judgeDebits({ claims, accounts, attempts }: Evidence): Finding[] {
  const events = accounts.flatMap((account) => account.events);
  return claims.flatMap((claim) => {
    if (claim.debits === undefined) return [];
    const told = events.filter((event) => isOf(event, claim));
    const count = (step: string) => told.filter(({ event_type: type }) => type === `payment_intent.${step}`).length;
    const findings = steps.flatMap((step): Finding[] => {
      const [least, most] = claim.debits?.[step] ?? [0, 0];
      const found = count(step);
      if (found >= least && found <= most) return [];
      const due = found < least ? least : most;
      return [{ promise: promises[step][found < least ? 0 : 1], what: `${claim.what}: ${found} ${step}, of ${due}` }];
    });
    const kept = attempts.filter((row) => row.amount === claim.amount && row.outcome === 'succeeded').length;
    const net = count('succeeded') - count('returned');
    if (kept !== net && !claim.isDeleted)
      findings.push({ promise: 'P6', what: `${claim.what}: ${kept} here, ${net} by the events` });
    return findings;
  });
}

function isOf({ event_type: type, data }: Event, { amount }: Claim): boolean {
  return type.startsWith('payment_intent.') && 'amount' in data && data.amount === amount;
}
