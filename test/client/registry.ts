import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { root } from '../../lab/run-program.ts';

/** Serves these packages of `node_modules` as a registry of npm does, so that an installation needs no network. */
export async function serveRegistry(names: readonly string[]): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const sources = names.map((name) => join(root, 'node_modules', name));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...sources];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
  const packed: { name: string; version: string; filename: string; integrity: string }[] = JSON.parse(stdout);
  const server = await serveOnLoopback(async ({ path }, response) => {
    const asked = decodeURIComponent(path.slice(1));
    const tarball = packed.find(({ filename }) => asked === `-/${filename}`);
    if (tarball !== undefined) return response.end(await readFile(join(folder, tarball.filename)));
    const found = packed.find(({ name }) => asked === name);
    if (found === undefined) return response.writeHead(404).end('{}');
    const { name, version, filename, integrity } = found;
    const manifest = JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    const dist = { tarball: `${server.url}/-/${filename}`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
