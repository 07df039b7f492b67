import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { findDatabase, noteStore } from '../../dev/temporal-data.ts';
import { useFolder } from './support.ts';

describe('the workflows of a data folder', () => {
  const folder = useFolder();

  /** A data folder with these files in its folder `temporal`. */
  async function dataDirWith(name: string, files: Record<string, string>): Promise<string> {
    const dataDir = join(folder.path, name);
    await mkdir(join(dataDir, 'temporal'), { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(dataDir, 'temporal', file), content);
    return dataDir;
  }
  for (const name of ['temporal.db', 'temporal-cli.db']) {
    it(`are refused if a version before 1.0.0 has left them in ${name}, and stay as they are`, async () => {
      const temporal = join(await dataDirWith(`before ${name}`, { [name]: 'kept', 'workflows.db': '' }), 'temporal');
      await assert.rejects(
        findDatabase(temporal),
        /Made before 1\.0\.0\. Delete DATA_DIR, or start the version that made it\.$/,
      );
      assert.deepEqual((await readdir(temporal)).sort(), [name, 'workflows.db'].sort());
      assert.equal(await readFile(join(temporal, name), 'utf8'), 'kept');
    });
  }

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
