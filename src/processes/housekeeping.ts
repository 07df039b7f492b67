import { sweepCardSetups } from '../db/card-setups.ts';
import { sweepDashboardSessions } from '../db/dashboard-sessions.ts';
import { sweepIdempotencyKeys } from '../db/idempotency-keys.ts';
import { sweepPageUses } from '../db/page-uses.ts';
import { sweepUnusedMethods } from '../db/payment-methods.ts';
import { createInvariantChecks } from '../operations/invariants/checks.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { databaseNow } from '../platform/postgres/database-clock.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import type { Processors } from '../processors/processor.ts';
import { followLedgers } from '../services/ledger/follower.ts';
import { takePayoutsInRealTime } from '../services/ledger/payouts.ts';
import { postProcessorBooks } from '../services/ledger/processor-books.ts';
import { expireMandates } from '../services/mandates/mandate-ends.ts';
import { closeDisputesInRealTime } from '../services/payments/disputes.ts';
import { recoverCharges } from '../services/payments/payment-confirmation.ts';
import { settleChallenges } from '../services/payments/processor-challenge.ts';
import { compareWithProcessor } from '../services/payments/processor-comparison.ts';
import { recoverRefunds } from '../services/payments/refunds.ts';
import { chargeHook } from '../services/subjects/charge-hook.ts';

const everyMs = 5_000;

/** How long a row of the ledger may lag behind its event. An idle look is one query. */
const followEveryMs = 500;

/**
 * Tidies the database while the process runs. It completes charges and refunds whose process died between calling the
 * processor and recording the outcome, settles challenges whose payer has not come back, compares the movements of the
 * live processor with the database, posts what that says of its books, ends mandates that have lapsed, closes the
 * disputes of the sandbox, and makes its payouts. It removes
 * expired idempotency keys, old counts of the pages for payers, and the account numbers that payers have entered there
 * and that nothing has used for a day. While all that goes on, it posts events to the ledger, and checks the
 * invariants, a few at a time: in a large database, one of them may take minutes. Any number of processes may run it
 * side by side.
 */
export function startHousekeeping(sql: Pool, processors: Processors, logger: Logger): Repetition {
  const checks = createInvariantChecks(sql);
  const duties = {
    // By the database's clock: the attempts of a process whose own clock is wrong are found too.
    'recover charges': async () => recoverCharges(sql, { processors, hook: chargeHook }, await databaseNow(sql)),
    'settle challenges': async () => settleChallenges(sql, { processors, hook: chargeHook }, await databaseNow(sql)),
    'recover refunds': async () => recoverRefunds(sql, processors, await databaseNow(sql)),
    'compare with the live processor': async () => {
      const holds = await compareWithProcessor(sql, processors.live);
      if (holds)
        logger.error('live charging is held: the live processor has made charges that are not in this database');
    },
    'post the books of the live processor': async () => postProcessorBooks(sql, await databaseNow(sql)),
    'expire mandates': async () => expireMandates(sql, await databaseNow(sql)),
    'close disputes': async () => closeDisputesInRealTime(sql, chargeHook, await databaseNow(sql)),
    'make payouts': async () => takePayoutsInRealTime(sql, await databaseNow(sql)),
    // By the database's clock: a process whose own clock is ahead must not remove keys that are still valid.
    'sweep idempotency keys': async () => sweepIdempotencyKeys(sql, await databaseNow(sql)),
    'sweep dashboard sessions': async () => sweepDashboardSessions(sql, await databaseNow(sql)),
    'sweep card setups': async () => sweepCardSetups(sql, await databaseNow(sql)),
    'sweep page uses': async () => sweepPageUses(sql, await databaseNow(sql)),
    'sweep unused methods': async () => sweepUnusedMethods(sql, await databaseNow(sql)),
  };
  const onError = (err: unknown, duty?: string) => logger.warn({ err, duty }, 'housekeeping failed; trying again');
  const tidying = repeat(
    async () => {
      for (const [duty, execute] of Object.entries(duties)) {
        await execute().catch((error: unknown) => onError(error, duty));
      }
    },
    { everyMs, onError },
  );
  const following = repeat((closing) => followLedgers(sql, closing), {
    everyMs: followEveryMs,
    afterErrorMs: everyMs,
    onError: (error) => onError(error, 'post to the ledger'),
  });
  const checking = repeat(() => checks.checkSome(), {
    everyMs,
    onError: (error) => onError(error, 'check invariants'),
  });
  return {
    wake: tidying.wake,
    close: async () => void (await Promise.all([tidying.close(), following.close(), checking.close()])),
  };
}
