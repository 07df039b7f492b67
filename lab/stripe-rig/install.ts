// Installs the programs that stand in for Stripe ahead of the tests:
// node --import ./setup.mjs lab/stripe-rig/install.ts
import { print, printError } from '../../src/platform/terminal.ts';
import { RigUnavailable, rigProgram, rigPrograms } from './programs.ts';

for (const name of rigPrograms) {
  try {
    print(`${name}: ${(await rigProgram(name, print)).join(' ')}`);
  } catch (error) {
    if (!(error instanceof RigUnavailable)) throw error;
    printError(error.message);
    process.exitCode = 1;
  }
}
