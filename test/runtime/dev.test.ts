import assert from 'node:assert/strict';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { freePorts, Start } from './start-process.ts';
import { stillAlive, useFolder } from './support.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('npm run dev', function () {
  this.timeout(180_000);
  const folder = useFolder();
  let route = '';

  before('copy the sources, which are to be changed', async () => {
    for (const name of ['src', 'dev', 'temporal', 'package.json', 'package-lock.json', 'tsconfig.json']) {
      await cp(join(root, name), join(folder.path, name), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'));
    route = join(folder.path, 'src/api/routes/health.ts');
  });

  async function change(from: string, to: string): Promise<void> {
    const text = await readFile(route, 'utf8');
    assert.ok(text.includes(from), `${from} in ${route}`);
    await writeFile(route, text.replace(from, to));
  }

  it('restarts worker and API when a source changes, and waits for the next change when they do not start', async () => {
    const ports = await freePorts();
    const development = new Start(join(folder.path, 'data'), ports, {
      program: join(folder.path, 'dev/start.ts'),
      args: ['--watch'],
    });
    try {
      const { base_url } = await development.ready();
      const first = await development.pids();
      const health = async () => (await fetch(`${base_url}/healthz`)).text();
      assert.match(await health(), /"ok"/);

      await change("'ok' as const", "'changed' as const");
      const isServing = async (text: string) => (await health().catch(() => '')).includes(text);
      await eventually('the change is served', () => isServing('changed'), { timeoutMs: 60_000 });

      await change('export const', 'export konst');
      await eventually('it says that it waits', () => /waiting for the next change/.test(development.output), {
        timeoutMs: 60_000,
      });
      assert.match(development.output, /api ended while starting \(exit code 1\)\. The end of .*SyntaxError/s);

      await change('export konst', 'export const');
      await change("'changed'", "'mended'");
      await eventually('the next change is served', () => isServing('mended'), { timeoutMs: 60_000 });
      const last = await development.pids();
      assert.deepEqual(
        [last.postgres, last.temporal],
        [first.postgres, first.temporal],
        'only the service is restarted',
      );
      development.child.kill('SIGTERM');
      assert.equal(await development.ended, 0);
      assert.deepEqual(await stillAlive(Object.values(last)), []);
    } finally {
      development.child.kill('SIGTERM');
      await development.ended;
    }
  });
});
