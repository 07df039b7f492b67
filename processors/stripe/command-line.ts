// Run by tools/payments.mjs for `npm run payments -- processors …`.
import { runCommand } from '../../src/processes/cli/run-command.ts';
import { command } from './command.ts';

process.exitCode = await runCommand(command, process.argv.slice(3));
