import { appendFileSync } from 'node:fs';
import type { WebUis } from '../api/http/deps.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { createHttpProcessor } from '../processors/http-processor.ts';
import { withLedger } from '../processors/ledger.ts';
import type { Processors } from '../processors/processor.ts';
import { sandboxProcessor } from '../processors/sandbox.ts';
import type { Vault } from '../services/accounts/vault.ts';
import { accountReader } from '../services/customers/bank-accounts.ts';
import { returnUrlOf } from '../services/pages/return-urls.ts';
import type { Config } from './config/config.ts';

/**
 * The processors of this configuration: the sandbox's, inside the service or in one of its own, with a ledger if one is
 * configured; and the processor service of live mode, if there is one. They open bank accounts with `vault`. Payers
 * come back from a challenge to our page at `publicUrl`, if that is known.
 */
export function processorsOf(
  {
    sandboxLedger,
    sandboxProcessor: service,
    liveProcessor,
    publicUrl,
  }: Pick<Config, 'sandboxLedger' | 'sandboxProcessor' | 'liveProcessor' | 'publicUrl'>,
  sql: Pool,
  vault: () => Vault | Promise<Vault>,
): Processors {
  const readAccount = accountReader(sql, vault);
  const returns =
    publicUrl === null
      ? {}
      : { returnUrlOf: async (id: string) => returnUrlOf(sql, { publicUrl, vault: await vault() }, id) };
  const live = liveProcessor === null ? null : createHttpProcessor({ ...liveProcessor, readAccount, ...returns });
  const inside =
    service === null ? sandboxProcessor : createHttpProcessor({ ...service, livemode: false, readAccount });
  if (sandboxLedger === null) return { sandbox: inside, live };
  // Each entry is appended in one write, so any number of processes may share the file. It is written before the
  // outcome is returned.
  const sandbox = withLedger(inside, (entry) => appendFileSync(sandboxLedger, `${JSON.stringify(entry)}\n`));
  return { sandbox, live };
}

/** The Web UIs of this configuration: where people look at live workflows, and at those of the sandbox. */
export function webUisOf({
  temporal,
  sandboxTemporal,
  temporalUiUrl,
  sandboxTemporalUiUrl,
}: Pick<Config, 'temporal' | 'sandboxTemporal' | 'temporalUiUrl' | 'sandboxTemporalUiUrl'>): WebUis {
  const live = temporalUiUrl === null ? null : { url: temporalUiUrl, namespace: temporal.namespace };
  if (sandboxTemporal === null) return { live, sandbox: live };
  const url = sandboxTemporalUiUrl ?? (sandboxTemporal.address === temporal.address ? temporalUiUrl : null);
  return { live, sandbox: url === null ? null : { url, namespace: sandboxTemporal.namespace } };
}
