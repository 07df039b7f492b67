import { before } from 'mocha';
import { type RigProgram, RigUnavailable, rigProgram } from '../../lab/stripe-rig/programs.ts';

/** Skips the tests of a `describe` that need these programs in place of Stripe, where one cannot be installed. */
export function needsPrograms(...names: readonly RigProgram[]): void {
  before('install what stands in for Stripe', async function () {
    this.timeout(300_000);
    try {
      for (const name of names) await rigProgram(name, (line) => console.log(`      ${line}`));
    } catch (error) {
      if (!(error instanceof RigUnavailable)) throw error;
      console.log(`      ${error.message}`);
      this.skip();
    }
  });
}
