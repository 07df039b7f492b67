import { setTimeout as pause } from 'node:timers/promises';
import { inWords } from '../platform/database-causes.ts';
import type { Logger } from '../platform/logger.ts';
import { causeOf } from '../platform/postgres/causes.ts';
import type { Db, Pool } from '../platform/postgres/connection.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { findKeyProblems, type KeyProblem } from '../services/accounts/recorded-keys.ts';
import type { Vault } from '../services/accounts/vault.ts';
import { Unavailable } from '../services/errors.ts';

/** How long a process that starts waits for the comparison. */
const startTimeoutMs = 2_000;
const askAgainMs = 500;
const logEveryMs = 10_000;

/** The encryption keys are not those of the database. The message says what to restore. */
export class KeysRefused extends Error {
  override name = 'KeysRefused';

  /** `place` is where the keys come from: a variable or a file. */
  constructor(problems: readonly KeyProblem[], place: string) {
    const words = problems.map(({ keyId, kind }) =>
      kind === 'missing'
        ? `The database has values that only the encryption key "${keyId}" opens, and ${place} does not have it. Add it again, at the end.`
        : `${place} has another encryption key under the id "${keyId}" than the database was used with. Restore the former one; a new key needs another id.`,
    );
    super(
      `${words.join('\n')}\nNothing was changed. If the key is lost for good: docs/operations.md, "An encryption key is missing".`,
    );
  }
}

/** @throws KeysRefused if these keys are not those of the database; else what the database throws. */
export async function assertKeysFit(sql: Db, vault: Vault, lost: readonly string[], place: string): Promise<void> {
  const problems = await findKeyProblems(sql, vault, lost);
  if (problems.length > 0) throw new KeysRefused(problems, place);
}

/** A vault that refuses all work until its keys have been compared with the database. */
export interface CheckedVault {
  vault: Vault;
  /** Resolves when the keys fit. Never rejects. */
  readonly fits: Promise<void>;
  /** The same, or two seconds later: a start does not wait for a PostgreSQL that is away. */
  readonly fitsOrWaits: Promise<void>;
}

/**
 * Compares the keys of ENCRYPTION_KEYS with the database: at once, or as soon as PostgreSQL responds. Until then the
 * vault throws Unavailable, so that nothing is sealed with a wrong key. If the keys do not fit, logs why and ends the
 * process with 1. `signal` ends the wait.
 */
export function checkVault(
  sql: Pool,
  vault: Vault,
  lost: readonly string[],
  logger: Logger,
  signal: AbortSignal,
): CheckedVault {
  let isChecked = false;
  const whenChecked =
    <A extends unknown[], R>(use: (...args: A) => R) =>
    (...args: A): R => {
      if (isChecked) return use(...args);
      throw new Unavailable('The encryption keys are not compared with the database yet. Try again.');
    };

  async function check(): Promise<void> {
    try {
      await compareWhenPossible(sql, vault, lost, logger, signal);
      isChecked = true;
    } catch (error) {
      if (signal.aborted) return await new Promise<never>(() => {}); // the process is ending
      if (error instanceof KeysRefused) logger.fatal(error.message);
      else logger.fatal({ err: error }, reasonOf(error));
      process.exit(1);
    }
  }

  const fits = check();
  return {
    vault: {
      ...vault,
      seal: whenChecked(vault.seal),
      open: whenChecked(vault.open),
      fingerprintsOf: whenChecked(vault.fingerprintsOf),
      clientSecretOf: whenChecked(vault.clientSecretOf),
      isClientSecretOf: whenChecked(vault.isClientSecretOf),
    },
    fits,
    fitsOrWaits: Promise.race([fits, pause(startTimeoutMs, undefined, { ref: false })]),
  };
}

function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  return cause === null ? 'The encryption keys could not be compared with the database.' : inWords(cause);
}

async function compareWhenPossible(
  sql: Pool,
  vault: Vault,
  lost: readonly string[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await assertKeysFit(sql, vault, lost, 'ENCRYPTION_KEYS');
    } catch (error) {
      if (causeOf(error)?.kind === 'login' || !isOutage(error)) throw error;
      if (performance.now() - loggedAt >= logEveryMs) {
        logger.warn({ err: error }, 'PostgreSQL is away: the encryption keys are not compared with the database yet');
        loggedAt = performance.now();
      }
    }
    await pause(askAgainMs, undefined, { signal });
  }
}
