// `npm run check`: everything that can be checked without running the service, side by side, within a minute. Prints a
// line for each check, and the output of those that fail. Ends with 1 if one fails.
import { spawn } from 'node:child_process';

/** The npm script of each check. */
const checks = {
  'the types': 'types',
  'lint, format and package-lock.json': 'lint',
  'the imports (docs/architecture.md)': 'architecture',
  'unused exports, files and packages': 'unused',
  'the pairs of capabilities (test/pairs)': 'pairs',
  'what ends do to payments (docs/api/13a-what-an-end-does.md)': 'ends',
  'the OpenAPI document': 'lint:openapi',
  'the planted faults (tools/mutants.txt)': 'mutants:check',
};

function run(script) {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('close', (code) => resolve({ code, output, seconds: ((performance.now() - begun) / 1000).toFixed(1) }));
    child.once('error', (error) => resolve({ code: 1, output: error.message, seconds: '0' }));
  });
}

const results = await Promise.all(
  Object.entries(checks).map(async ([what, script]) => {
    const { code, output, seconds } = await run(script);
    console.log(`${code === 0 ? '✔' : '✘'} ${what} (${seconds} s)`);
    if (code !== 0) console.log(`\n${output.trim()}\n\nRun it alone: npm run ${script}\n`);
    return code === 0;
  }),
);
const failed = results.filter((isGood) => !isGood).length;
console.log(failed === 0 ? 'Everything is in order.' : `${failed} of ${results.length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
