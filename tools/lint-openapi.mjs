// Writes both OpenAPI documents of the routes to temporary files and has Redocly check them. Ends with 1 unless both
// pass: a warning counts as much as an error.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compatDocument } from '../src/api/openapi/compat.ts';
import { openApiDocument } from '../src/api/openapi/document.ts';
import { allRoutes } from '../src/sites/routes.ts';

const manifest = fileURLToPath(import.meta.resolve('@redocly/cli/package.json'));
const { bin } = JSON.parse(await readFile(manifest, 'utf8'));
const config = fileURLToPath(new URL('redocly.yaml', import.meta.url));

const document = openApiDocument(allRoutes);
const documents = { 'openapi.json': document, 'openapi.compat.json': compatDocument(document) };
const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
try {
  for (const [name, one] of Object.entries(documents)) await lint(name, one);
} finally {
  await rm(folder, { recursive: true });
}

async function lint(name, one) {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify(one, null, 2));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve(dirname(manifest), bin.redocly), 'lint', file, '--config', config, '--format', 'json', '--max-problems', '1000'],
    // It would look for its own newer versions and count its users.
    { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }, encoding: 'utf8' },
  );
  const { totals, problems = [] } = stdout === '' ? {} : JSON.parse(stdout);
  if (totals === undefined) throw new Error(`the linter did not report: ${stderr}`);
  for (const { severity, ruleId, message, location } of problems) {
    console.error(`${severity} ${ruleId} at ${name} ${location[0]?.pointer ?? ''}: ${message}`);
  }
  console.log(`${name}: ${totals.errors} errors, ${totals.warnings} warnings, ${totals.ignored} ignored`);
  if (status !== 0 || totals.errors + totals.warnings > 0) process.exitCode = 1;
}
