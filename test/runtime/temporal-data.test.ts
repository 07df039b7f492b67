import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client, Connection } from '@temporalio/client';
import { describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { startTemporal } from '../../dev/temporal.ts';
import { noteStore, prepareDatabase } from '../../dev/temporal-data.ts';
import { eventually } from '../../lab/eventually.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { useFolder } from './support.ts';

/** Files of the server that earlier versions built: the namespace payments, with the running workflow old-1. */
const fixtures = new URL('former-temporal/', import.meta.url);

describe('the workflows of an earlier version', () => {
  const folder = useFolder();

  /** A data folder with these files in its folder `temporal`. */
  async function dataDirWith(name: string, files: Record<string, Buffer | string>): Promise<string> {
    const dataDir = join(folder.path, name);
    await mkdir(join(dataDir, 'temporal'), { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(dataDir, 'temporal', file), content);
    return dataDir;
  }
  async function built() {
    const read = async (name: string) => gunzipSync(await readFile(new URL(`${name}.gz`, fixtures)));
    return { 'temporal.db': await read('temporal.db'), 'visibility.db': await read('visibility.db') };
  }

  it('that were kept by the server that it built go on, with their lists; the old files stay as they are', async function () {
    this.timeout(serverStartTimeoutMs);
    const files = await built();
    const dataDir = await dataDirWith('built', files);
    for (const start of ['first', 'second']) {
      const lines: string[] = [];
      const [frontendPort = 0] = await findFreePorts(1);
      const server = await startTemporal({ dataDir, frontendPort, uiPort: null, log: (line) => lines.push(line) });
      const connection = await Connection.connect({ address: server.address });
      try {
        const client = new Client({ connection, namespace: 'payments' });
        const handle = client.workflow.getHandle('old-1');
        await eventually('the server knows its namespaces', () => handle.describe().then(Boolean, () => false));
        if (start === 'first') await handle.signal('from-the-new-server');
        const { events } = await handle.fetchHistory();
        const signals = events
          ?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName)
          .filter(Boolean);
        assert.deepEqual(signals, ['a', 'from-the-new-server']);
        const listed = client.workflow.list({ query: 'Foo = "bar" and ExecutionStatus = "Running"' });
        const ids: string[] = [];
        for await (const { workflowId } of listed) ids.push(workflowId);
        assert.deepEqual(ids, ['old-1']);
        if (start === 'second') await handle.terminate();
      } finally {
        await connection.close();
        await server.stop();
      }
      assert.equal(
        lines.some((line) => line.startsWith('The workflows of an earlier version are copied')),
        start === 'first',
      );
    }
    for (const [name, content] of Object.entries(files)) {
      assert.ok((await readFile(join(dataDir, 'temporal', name))).equals(content), `${name} is as it was`);
    }
  });

  it('that were kept by the temporal CLI go on', async () => {
    const dataDir = await dataDirWith('cli', { 'temporal-cli.db': (await built())['temporal.db'] });
    const lines: string[] = [];
    const database = await prepareDatabase(join(dataDir, 'temporal'), (line) => lines.push(line));
    assert.deepEqual((await readdir(join(dataDir, 'temporal'))).sort(), ['temporal-cli.db', 'workflows.db']);
    assert.equal(database, join(dataDir, 'temporal', 'workflows.db'));
    assert.match(lines[0] ?? '', /copied from temporal-cli\.db to .*workflows\.db/);
  });

  it('are not guessed at if there are those of two servers: the start says which are newer, and touches nothing', async () => {
    const { 'temporal.db': content } = await built();
    const dataDir = await dataDirWith('both', { 'temporal.db': content, 'temporal-cli.db': content });
    await utimes(join(dataDir, 'temporal', 'temporal.db'), 1, 1);
    await assert.rejects(
      prepareDatabase(join(dataDir, 'temporal'), () => {}),
      /two Temporal servers.* The newer is temporal-cli\.db\. .*move the other file elsewhere.* Nothing was touched/,
    );
    assert.deepEqual((await readdir(join(dataDir, 'temporal'))).sort(), ['temporal-cli.db', 'temporal.db']);
  });

  it('are not half copied: if that fails, nothing is left of it, and the next start tries again', async () => {
    const { 'temporal.db': content } = await built();
    const dataDir = await dataDirWith('broken', { 'temporal.db': content, 'visibility.db': 'no database at all' });
    const temporal = join(dataDir, 'temporal');
    await assert.rejects(
      prepareDatabase(temporal, () => {}),
      /could not be copied: .*not a database.* The old files are as they were/,
    );
    assert.deepEqual((await readdir(temporal)).sort(), ['temporal.db', 'visibility.db']);
    await writeFile(join(temporal, 'workflows.db.unfinished'), 'of a start that was killed');
    await writeFile(join(temporal, 'visibility.db'), (await built())['visibility.db']);
    await prepareDatabase(temporal, () => {});
    assert.deepEqual((await readdir(temporal)).sort(), ['temporal.db', 'visibility.db', 'workflows.db']);
  });

  it('are not forgotten silently when TEMPORAL_STORE moves from SQLite to PostgreSQL or back', async () => {
    const dataDir = await dataDirWith('stores', {});
    const temporal = join(dataDir, 'temporal');
    const said = async (store: 'sqlite' | 'postgres') => {
      const lines: string[] = [];
      await noteStore(temporal, store, (line) => lines.push(line));
      return lines.join('\n');
    };
    assert.equal(await said('sqlite'), '');
    assert.equal(await said('sqlite'), '');
    assert.match(await said('postgres'), /kept its workflows in SQLite .* in PostgreSQL now: .* unset TEMPORAL_STORE/);
    assert.equal(await said('postgres'), '');
    assert.match(await said('sqlite'), /in PostgreSQL at the last start, .* set TEMPORAL_STORE=postgres/);
    const older = join(await dataDirWith('older', { 'workflows.db': '' }), 'temporal');
    const lines: string[] = [];
    await noteStore(older, 'postgres', (line) => lines.push(line));
    assert.equal(lines.length, 1);
  });
});
