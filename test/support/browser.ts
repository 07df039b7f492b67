import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before } from 'mocha';
import { type Browser, findChromium, openBrowser, type Tab, type View } from '../../lab/browser.ts';

export const desktop: View = { width: 1280, height: 900, scheme: 'light' };

/** Returns what hinders the user of a screen reader on the page of a tab, in the words of axe-core. */
export async function obstacles(tab: Tab): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await tab.evaluate(`${axe}; null`);
  return tab.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => id + ' ' + impact + ' ' + nodes.map(({ html }) => html).join(' ').slice(0, 600)))`,
  );
}

/**
 * A Chromium for the tests of the calling `describe`; if none is on PATH, they are skipped. `options` are for its
 * command line.
 */
export function useBrowser(options: readonly string[] = []): { open(url: string, view?: View): Promise<Tab> } {
  let browser: Browser | undefined;

  before('start the browser', async function () {
    this.timeout(60_000);
    const program = await findChromium();
    if (program === null) {
      console.log('      no chromium on PATH: not tested in a browser');
      return this.skip();
    }
    browser = await openBrowser(program, options);
  });
  after('end the browser', () => browser?.close());

  return {
    async open(url, view = desktop) {
      if (browser === undefined) throw new Error('the browser is there only while the tests of its describe run');
      const tab = await browser.open(view);
      await tab.goto(url);
      return tab;
    },
  };
}
