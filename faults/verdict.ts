import type { Evidence, Finding } from './evidence.ts';
import { judgeAnswers, judgeBystander, judgeDurability, judgeStuck } from './judges/answers.ts';
import { judgeCharges, judgeRefunds } from './judges/charges.ts';
import { judgeEvents, judgePlanEvents } from './judges/events.ts';
import { judgeMoney } from './judges/money.ts';

/** Judges a run that has come to rest. Nothing is found when every promise was kept. */
export function judge(evidence: Evidence): Finding[] {
  return [
    judgeCharges,
    judgeRefunds,
    judgeMoney,
    judgeDurability,
    judgeAnswers,
    judgeEvents,
    judgePlanEvents,
    judgeBystander,
    judgeStuck,
  ].flatMap((judgeOne) => judgeOne(evidence));
}
