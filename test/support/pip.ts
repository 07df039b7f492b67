import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { before } from 'mocha';
import { findOnPath } from '../../dev/tool.ts';
import { readHost } from '../../src/processes/config/config.ts';

/** Skips the tests of a `describe` that need Python with pip, without it. Returns the path of Python, for the tests. */
export function needsPip(): { readonly python: string } {
  let python = '';
  before('look for Python with pip', async function () {
    this.timeout(60_000);
    python = (await findOnPath('python3', readHost().searchPath)) ?? '';
    const isThere = python !== '' && (await hasPip(python));
    if (isThere) return;
    console.log('      no python3 with pip: what is fetched by it is not tried');
    this.skip();
  });
  return {
    get python() {
      return python;
    },
  };
}

/** Makes a folder with a `python3` that is this script of the shell. Returns the folder, as a search path. */
export async function plantPython(parent: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'python-'));
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

async function hasPip(python: string): Promise<boolean> {
  return promisify(execFile)(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  );
}
