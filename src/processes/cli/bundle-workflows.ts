import { createLogger } from '../../platform/logger.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { defineCommand, refuseMore } from './command.ts';

export const command = defineCommand({
  usage: `Usage:
  workflows:bundle

Bundles the workflows, with and without tracing, and stores the bundles where a worker looks for them. Run it when an image
is built: a worker then starts without bundling, and without writing to the disk.`,
  options: {},
  async run({ words }) {
    refuseMore(words);
    const logger = createLogger('warn', 'cli');
    const bundles = [await bundleWorkflows(logger), await bundleWorkflows(logger, { isTraced: true })];
    const sizes = bundles.map((bundle) => ('code' in bundle ? `${Math.round(bundle.code.length / 1024)} KiB` : ''));
    return `The workflows are bundled: ${sizes[0]}, with tracing ${sizes[1]}.`;
  },
});
