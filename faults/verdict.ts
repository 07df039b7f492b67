import type { Evidence, Finding } from './evidence.ts';
import { judgeCharges, judgeRefunds } from './judges/charges.ts';
import { judgeDebits } from './judges/debits.ts';
import { judgeEvents, judgePlanEvents } from './judges/events.ts';
import { judgeLinks } from './judges/links.ts';
import { judgeMoney } from './judges/money.ts';
import { judgeBystander, judgeDurability, judgeResponses, judgeStuck } from './judges/responses.ts';
import { judgeSubscriptions } from './judges/subscriptions.ts';

/** Judges a run that has come to rest. Returns nothing if every promise was kept. */
export function judge(evidence: Evidence): Finding[] {
  return [
    judgeCharges,
    judgeRefunds,
    judgeDebits,
    judgeLinks,
    judgeSubscriptions,
    judgeMoney,
    judgeDurability,
    judgeResponses,
    judgeEvents,
    judgePlanEvents,
    judgeBystander,
    judgeStuck,
  ].flatMap((judgeOne) => judgeOne(evidence));
}
