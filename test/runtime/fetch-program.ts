// Run by ready-program.test.ts as a process of its own: fetches a pinned program, by the arguments' JSON, and prints
// what it says, then its path.
import { readyProgram } from '../../dev/ready-program.ts';

const { pinned, cacheDir, searchPath } = JSON.parse(process.argv[2] ?? '{}');
try {
  const options = { platform: 'linux-x64' };
  console.log(await readyProgram(pinned, { searchPath, cacheDir }, console.log, undefined, options));
} catch (error) {
  console.log(`${error}`);
  process.exitCode = 1;
}
