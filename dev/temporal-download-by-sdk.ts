// Run by temporal-download.ts as a separate process. Lets the SDK download a version of its `temporal` CLI into a
// folder; the arguments are the version and the folder.
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { printError } from '../src/platform/terminal.ts';

const [version, downloadDir] = process.argv.slice(2);
if (version === undefined || downloadDir === undefined) {
  throw new Error('Give the version and the folder to download to.');
}
// The SDK starts what it has downloaded, and that is not checked yet. So it gets no right to run the file: the start
// fails, and the file is there.
process.umask(0o111);
await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', version, downloadDir } },
}).catch((error: Error) => {
  printError(error.message);
  process.exitCode = 1;
});
