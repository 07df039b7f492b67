// Run by temporal-download.ts as a process of its own: has the SDK download its `temporal` CLI into the folder that
// is its argument. The SDK offers no way to only download, so a throw-away server is started and ended.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const downloadDir = process.argv[2];
if (downloadDir === undefined) {
  throw new Error('Give the folder to download to.');
}
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', version: 'latest', downloadDir } },
});
await environment.teardown();
