import type { Logger } from '../../src/platform/logger.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { listAccounts } from './accounts.ts';
import { KeyNotOpened, openKey, type SealingKeys } from './sealed-keys.ts';

/** What the notices of an account are signed with, in one mode. */
interface NoticeSecret {
  livemode: boolean;
  secret: string;
}

export interface NoticeSecrets {
  /** The secrets of an account, for both modes. Empty if it has none, or is disabled. */
  of(account: string): Promise<readonly NoticeSecret[]>;
}

/** A stranger may ask for any account at any rate: the database is asked this often at most. */
const readAgainAfterMs = 2_000;

/** Opens the secrets of all accounts of a database. A new one counts two seconds later at most. */
export function openNoticeSecrets(db: Pool, keys: SealingKeys, logger: Logger): NoticeSecrets {
  let known: { at: number; secrets: Promise<Map<string, NoticeSecret[]>> } | null = null;
  return {
    async of(account) {
      const now = performance.now();
      if (known === null || now - known.at > readAgainAfterMs) {
        const secrets = readSecrets(db, keys, logger);
        known = { at: now, secrets };
        secrets.catch(() => {
          known = null;
        });
      }
      return (await known.secrets).get(account) ?? [];
    },
  };
}

async function readSecrets(db: Pool, keys: SealingKeys, logger: Logger): Promise<Map<string, NoticeSecret[]>> {
  const secrets = new Map<string, NoticeSecret[]>();
  for (const row of await listAccounts(db)) {
    const { account, livemode, status, sealed_notice_secret: sealed } = row;
    if (sealed === null || status === 'disabled') continue;
    try {
      const secret = openKey(keys, sealed, row, 'notice_secret');
      secrets.set(account, [...(secrets.get(account) ?? []), { livemode, secret }]);
    } catch (error) {
      if (!(error instanceof KeyNotOpened)) throw error;
      logger.error({ account, livemode }, error.message);
    }
  }
  return secrets;
}
