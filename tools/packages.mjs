// Checks what npm is told to install: every package of the lock file has an exact version and a checksum and names no
// registry, package.json asks for exact versions alone, and no install script runs. Ends with 1 and says what is wrong.
// Usage: node tools/packages.mjs [FOLDER], by default that of this project.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('../', import.meta.url));
const read = (name) => readFileSync(join(folder, name), 'utf8');

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
/** The weakest checksum that is accepted; sha1 can be forged. */
const checksum = /^sha512-[A-Za-z0-9+/]{86}==$/;

function faultsOfLock({ lockfileVersion, packages }) {
  if (lockfileVersion !== 3) return ['package-lock.json: lockfileVersion is not 3'];
  return Object.entries(packages).flatMap(([path, entry]) => {
    const isOurs = !path.includes('node_modules/');
    if (isOurs || entry.link) return [];
    const faults = [];
    if (!exact.test(entry.version ?? '')) faults.push('has no exact version');
    if (!checksum.test(entry.integrity ?? '')) faults.push('has no sha512 checksum');
    if (entry.resolved !== undefined) faults.push(`is bound to ${entry.resolved}`);
    return faults.map((fault) => `package-lock.json: ${path} ${fault}`);
  });
}

function faultsOfManifest({ dependencies = {}, devDependencies = {}, optionalDependencies = {}, overrides = {} }) {
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides })
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `package.json: ${name} is asked for as "${version}", which is no exact version`);
}

function faultsOfSettings(text) {
  const settings = text.split('\n').map((line) => line.replaceAll(' ', ''));
  return ['ignore-scripts=true', 'omit-lockfile-registry-resolved=true']
    .filter((setting) => !settings.includes(setting))
    .map((setting) => `.npmrc: ${setting} is missing`);
}

const faults = [
  ...faultsOfLock(JSON.parse(read('package-lock.json'))),
  ...faultsOfManifest(JSON.parse(read('package.json'))),
  ...faultsOfSettings(read('.npmrc')),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
