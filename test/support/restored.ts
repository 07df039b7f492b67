import { after, afterEach, before, beforeEach } from 'mocha';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { accountReader } from '../../src/services/customers/bank-accounts.ts';
import { compareWithProcessor } from '../../src/services/payments/processor-comparison.ts';
import { type BackUp, backUp } from './back-up.ts';
import { useService } from './service.ts';

/** Makes the processor forget its keys. */
export const forgetful = { seed: '1', share: 0, kinds: [], forgetsKeys: true };

/** A live service without workers whose database can go back to a back-up, while its processor goes on. */
export function useRestorable() {
  const service = useService({ live: true, idle: true });
  let processor: HttpProcessor;
  let taken: BackUp | undefined;
  const here = {
    service,
    get processor() {
      return processor;
    },
    processors: () => ({ sandbox: sandboxProcessor, live: processor }),
    async backUp() {
      taken = await backUp(service.db);
    },
    restore: async () => taken?.restore(),
    /** The comparison that a worker makes once a minute, whenever the last one was. */
    async compare(by: Pick<HttpProcessor, 'movements'> = processor): Promise<boolean> {
      await service.db.sql`update live_charging set compared_at = compared_at - interval '1 minute'`;
      return compareWithProcessor(service.db.sql, { ...processor, ...by });
    },
    /** How often the processor has taken the money of a payment. */
    takenFor: async (intentId: string) =>
      (await service.standIn.calls()).filter(
        (call) => call.kind === 'charge' && !call.repeated && call.payment_intent_id === intentId,
      ).length,
  };

  before('be a worker', () => {
    const readAccount = accountReader(service.db.sql, () => service.vault);
    processor = createHttpProcessor({ ...service.standIn, readAccount });
  });
  beforeEach('compare as it does', async () => {
    await service.standIn.setClimate(null);
    await service.db.sql`delete from unknown_movements`;
    await service.db.sql`delete from live_charging`;
    await here.compare();
  });
  afterEach(() => taken?.discard());
  after(() => processor.close());
  return here;
}
