import { appendFileSync } from 'node:fs';
import type { WebUis } from '../api/http/deps.ts';
import { createHttpProcessor } from '../processors/http-processor.ts';
import { withLedger } from '../processors/ledger.ts';
import type { Processors, ReadBankAccount } from '../processors/processor.ts';
import { sandboxProcessor } from '../processors/sandbox.ts';
import type { Config } from './config/config.ts';

/**
 * The processors of this configuration: the sandbox's, inside the service or in one of its own, with a ledger if one is
 * configured; and the processor service of live mode, if there is one.
 * @param returnUrlOf see `createHttpProcessor`. Live mode alone.
 */
export function processorsOf(
  {
    sandboxLedger,
    sandboxProcessor: service,
    liveProcessor,
  }: Pick<Config, 'sandboxLedger' | 'sandboxProcessor' | 'liveProcessor'>,
  readAccount: ReadBankAccount,
  returnUrlOf?: (paymentIntentId: string) => string,
): Processors {
  const live =
    liveProcessor === null
      ? null
      : createHttpProcessor({ ...liveProcessor, readAccount, ...(returnUrlOf && { returnUrlOf }) });
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
