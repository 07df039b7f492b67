import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, it } from 'mocha';
import { makeKeys } from '../support/factories.ts';
import { itRunsSamplesOf, scriptsIn, whyNotRun } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { assertReceives, startRelay } from './receivers.ts';

const folder = new URL('../../docs/api/', import.meta.url);
const guides = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .sort();

describe('the guides to the API', () => {
  const service = useService();
  let receiver: Awaited<ReturnType<typeof startRelay>>;
  before('start the receiver that the samples name', async () => {
    receiver = await startRelay();
  });
  after('close the receiver', () => receiver.close());

  /** The environment variables that the guides name. Each sample gets its own biller. */
  async function environment(): Promise<Record<string, string>> {
    const { biller, ...keys } = await makeKeys(service.db.sql);
    return {
      BASE_URL: service.url,
      API_KEY: keys.sandboxSecret,
      PUBLISHABLE_KEY: keys.sandboxPublishable,
      LIVE_KEY: keys.liveSecret,
      BILLER: biller.id,
      RECEIVER_URL: receiver.url,
      SERVICE: fileURLToPath(new URL('../../', import.meta.url)),
      DATABASE_URL: service.db.url,
    };
  }

  for (const name of guides) {
    const file = new URL(name, folder);
    const scripts = scriptsIn(readFileSync(file, 'utf8'), name);
    if (scripts.length === 0) continue;
    describe(name, () => {
      itRunsSamplesOf(file, environment);
      for (const script of scripts.filter(({ isServer }) => isServer)) {
        const obstacle = whyNotRun(script.language);
        if (obstacle !== null) it(`has a receiver that is skipped, because ${obstacle}: ${script.title}`);
        else
          it(`has a receiver that accepts what the service signs, and nothing else: ${script.title}`, async function () {
            this.timeout(360_000);
            await assertReceives(script, (await service.merchant()).client);
          });
      }
    });
  }
});
