// Run by temporal-download.ts as a separate process. Lets the SDK download a version of its `temporal` CLI into a
// folder; the arguments are the version and the folder. The SDK cannot only download, so a throw-away server is started
// and ended.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [version, downloadDir] = process.argv.slice(2);
if (version === undefined || downloadDir === undefined) {
  throw new Error('Give the version and the folder to download to.');
}
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', version, downloadDir } },
});
await environment.teardown();
