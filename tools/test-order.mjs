// Prints the test files of a suite, `node tools/test-order.mjs service`, in the order in which they run.
import { filesOf } from '../test/support/test-files.ts';

console.log(
  filesOf(process.argv[2])
    .map((name) => `test/${name}`)
    .join('\n'),
);
