import { itRunsSamplesOf, runScript } from '../support/samples.ts';
import { useService } from '../support/service.ts';

describe('the client’s README', () => {
  const service = useService();

  itRunsSamplesOf(new URL('../../clients/typescript/README.md', import.meta.url), async (script) => {
    const { key } = await service.merchant();
    return runScript(script, { BASE_URL: service.url, API_KEY: key });
  });
});
