import type { Evidence, Finding, SeenEntry } from '../evidence.ts';

/** The calls for one charge: the processor counts calls under one key as one. */
interface Taken {
  key: string;
  amount: number;
  outcomes: Set<string>;
  /** When the attempt was opened, epoch ms, as the service sent it to the processor. */
  openedAt: number;
}

/**
 * P1 and P2 by the processor's own ledger: under each amount, which is that of one payment or one plan, so many keys
 * have succeeded as were due. One more is a double charge; one less is a due payment that is missing.
 */
export function judgeCharges({ ledger, claims }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const taken = takenByAmount(ledger, findings);
  const claimed = new Map(claims.map((claim) => [claim.amount, claim]));
  for (const [amount, charges] of taken) {
    if (!claimed.has(amount)) {
      findings.push({ promise: 'P1', what: `${charges.length} charges of ${amount}, which was not requested` });
    }
  }
  for (const { amount, what, succeeded, attempts, notAfter } of claimed.values()) {
    const charges = taken.get(amount) ?? [];
    const paid = charges.filter(({ outcomes }) => outcomes.has('succeeded'));
    const counts = `${what}: ${paid.length} of ${charges.length} attempts have succeeded`;
    if (paid.length > succeeded[1])
      findings.push({ promise: 'P1', what: `${counts}, at most ${succeeded[1]} were due` });
    if (paid.length < succeeded[0]) findings.push({ promise: 'P2', what: `${counts}, ${succeeded[0]} were due` });
    if (charges.length > attempts[1]) {
      findings.push({ promise: 'P1', what: `${counts}; at most ${attempts[1]} attempts were to be made` });
    }
    if (charges.length < attempts[0]) {
      findings.push({ promise: 'P2', what: `${counts}; ${attempts[0]} attempts were to be made` });
    }
    for (const { key, openedAt } of charges) {
      if (notAfter !== undefined && openedAt > notAfter) {
        findings.push({ promise: 'P1', what: `${what}: attempt ${key} was opened after the plan was ended` });
      }
    }
  }
  return findings;
}

/** Charges by amount; a key that was used for two amounts is a finding of its own. */
function takenByAmount(ledger: SeenEntry[], findings: Finding[]): Map<number, Taken[]> {
  const byKey = new Map<string, Taken>();
  for (const { kind, idempotency_key: key, amount, outcome, opened_at, seenAt } of ledger) {
    if (kind !== 'charge') continue;
    const known = byKey.get(key) ?? {
      key,
      amount,
      outcomes: new Set(),
      openedAt: byTheRightClock(opened_at ? Date.parse(opened_at) : openedAt(key), seenAt),
    };
    byKey.set(key, known);
    known.outcomes.add(outcome);
    if (known.amount !== amount)
      findings.push({ promise: 'P1', what: `key ${key} asked for ${known.amount}, and for ${amount}` });
  }
  const byAmount = new Map<number, Taken[]>();
  for (const charge of byKey.values()) byAmount.set(charge.amount, [...(byAmount.get(charge.amount) ?? []), charge]);
  return byAmount;
}

const hourMs = 3_600_000;

/** The instant, which a process may have taken from a clock that a clock jump had set off by an hour. */
function byTheRightClock(at: number, seenAt: number | undefined): number {
  return seenAt === undefined ? at : at + Math.round((seenAt - at) / hourMs) * hourMs;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const timeLength = 9;

/** When an id was made, epoch ms: its first nine characters after the prefix say so, in base 62. */
export function openedAt(id: string): number {
  const head = id.slice(id.lastIndexOf('_') + 1, id.lastIndexOf('_') + 1 + timeLength);
  return [...head].reduce((sum, symbol) => sum * alphabet.length + alphabet.indexOf(symbol), 0);
}

/** P1 of refunds: under each key of a client at most one refund was given, and each response is in the ledger. */
export function judgeRefunds({ ledger, exchanges }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const given = new Map<string, { amount: number; intentId: string }>();
  for (const { kind, idempotency_key: key, amount, outcome, payment_intent_id: intentId } of ledger) {
    if (kind === 'refund' && outcome === 'succeeded') given.set(key, { amount, intentId });
  }
  const asked = exchanges.filter(({ method, path }) => method === 'POST' && /\/(refunds|refund_credit)$/.test(path));
  const askedOf = countBy(asked.flatMap(intentsOf));
  for (const [intentId, count] of countBy([...given.values()].map((refund) => refund.intentId))) {
    const most = askedOf.get(intentId) ?? 0;
    if (count > most)
      findings.push({ promise: 'P1', what: `${count} refunds of ${intentId}, of which ${most} were requested` });
  }
  for (const { responses, path } of asked) {
    for (const { status, text } of responses.filter((response) => response.status === 201)) {
      for (const { id, amount } of refundsIn(text)) {
        if (given.get(id)?.amount === amount) continue;
        findings.push({
          promise: 'P6',
          what: `${path} returned ${status} for ${id}, which the processor has not made`,
        });
      }
    }
  }
  return findings;
}

/** The refunds that a response names: of credit there may be several. */
function refundsIn(text: string): { id: string; amount: number; payment_intent_id: string }[] {
  const body = JSON.parse(text);
  return body.refunds ?? [body];
}

/** The payments of which a request asks for a refund. Of credit, only the response names them. */
function intentsOf({ path, responses }: Evidence['exchanges'][number]): string[] {
  if (path.endsWith('/refunds')) return [path.split('/')[2] ?? ''];
  const given = responses.filter(({ status }) => status === 201);
  return [...new Set(given.flatMap(({ text }) => refundsIn(text).map((refund) => refund.payment_intent_id)))];
}

function countBy(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
