import type { Reply } from '../support/api.ts';
import type { Stage } from '../support/stage.ts';
import { door, inTurn, type SharedRow } from './barriers.ts';

/**
 * When a request meets a charge, which is opened, asked for and settled:
 * - `ahead`: the deed is next in the queue of the row that both lock, the opening of the charge right behind it;
 * - `behind`: the opening is next, the deed right behind it, and is answered while the processor is being asked;
 * - `before settling`: the money is taken, the deed is next, the settlement right behind it;
 * - `after settling`: the money is taken, the settlement is next, the deed right behind it.
 */
const moments = ['ahead', 'behind', 'before settling', 'after settling'] as const;
export type RaceMoment = (typeof moments)[number];

/** What it comes to at each moment, in a line; a moment that is left out is like the one before it. */
export type ByMoment = Partial<Record<RaceMoment, string>> & { ahead: string };

/**
 * Every moment at which they can meet, with its line. A settlement goes past what is no row of the payment or its plan.
 */
export function eachMoment(lines: ByMoment, table: SharedRow['table']): [RaceMoment, string][] {
  const isSettled = table === 'payment_plans' || table === 'payment_intents';
  let line = lines.ahead;
  const all = moments.map((moment): [RaceMoment, string] => {
    line = lines[moment] ?? line;
    return [moment, line];
  });
  return all.filter(([moment]) => isSettled || moment !== 'before settling');
}

/** Lets a deed and a charge meet at this moment; what each has answered. */
export async function meet<C>(
  stage: Stage,
  moment: RaceMoment,
  row: SharedRow,
  deed: () => Promise<Reply>,
  charge: () => Promise<C>,
): Promise<{ reply: Reply; charged: C }> {
  const { sql } = stage.db;
  if (moment === 'ahead') {
    const [reply, charged] = await inTurn<[Reply, C]>(sql, row, [deed, charge]);
    return { reply, charged };
  }
  const asked = door();
  let isFirst = true;
  stage.ledger.beforeAnswer = async () => {
    if (!isFirst) return;
    isFirst = false;
    await asked.pass();
  };
  if (moment === 'behind') {
    const deedThenAnswer = async () => {
      const reply = await deed();
      // What is opened before it may still be on its way to the processor.
      await Promise.race([asked.arrived, charging]);
      asked.open();
      return reply;
    };
    let charging: Promise<unknown> = Promise.resolve();
    const chargeFirst = () => {
      const under = charge();
      charging = under.catch(() => {});
      return under;
    };
    const [charged, reply] = await inTurn<[C, Reply]>(sql, row, [chargeFirst, deedThenAnswer]);
    return { reply, charged };
  }
  const charging = charge();
  await Promise.race([asked.arrived, charging]);
  const settle = () => {
    asked.open();
    return charging;
  };
  if (moment === 'before settling') {
    const [reply, charged] = await inTurn<[Reply, C]>(sql, row, [deed, settle]);
    return { reply, charged };
  }
  const [charged, reply] = await inTurn<[C, Reply]>(sql, row, [settle, deed]);
  return { reply, charged };
}
