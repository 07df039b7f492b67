import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';

const root = fileURLToPath(new URL('../../', import.meta.url));
const comment = /(?<=^|\s)\/\/[^\n]*|\/\*.*?\*\//gs;
const fileName = /(?<![\w/.*…<-])(?:[\w@.-]+\/)*[\w-][\w.-]*\.(?:ts|mjs|sql|md|py|go|sh|yml)\b/g;
/** Files outside the repository, and names that stand for any file. */
const others = new Set(['../shared/decisions.md', 'NNNN_name.sql']);

describe('the comments of the code', () => {
  it('name only files that exist', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
      .toString()
      .split('\n');
    const isThere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`));
    const sources = files.filter((file) => /\.(ts|mjs)$/.test(file) && !file.includes('/generated/'));
    assert.ok(sources.length > 1000, String(sources.length));
    const missing = sources.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(comment)]
        .flatMap(([text]) => text.match(fileName) ?? [])
        .filter((name) => !others.has(name) && !isThere(name.replace(/^(\.\.?\/)+/, '')))
        .map((name) => `${file}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });
});
