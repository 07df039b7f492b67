import { after, before } from 'mocha';
import { type Browser, findChromium, openBrowser, type Tab, type View } from '../../lab/browser.ts';

export const desktop: View = { width: 1280, height: 900, scheme: 'light' };

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
