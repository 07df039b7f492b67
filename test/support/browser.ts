import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before } from 'mocha';
import { WebSocket } from 'undici';
import { eventually } from './eventually.ts';

/** How a page is looked at. */
export interface View {
  width: number;
  height: number;
  scheme: 'light' | 'dark';
  /** The Content-Security-Policy of pages is ignored, as if the page came from a server that sends none. */
  isPolicyIgnored?: boolean;
}

export const desktop: View = { width: 1280, height: 900, scheme: 'light' };

/** A page in a real browser. */
export interface Tab {
  /** What the browser has complained of: errors, and what a policy has kept from loading. */
  readonly complaints: string[];
  /** Runs an expression in the page, whatever the page's policy, and answers its value, or what its promise comes to. */
  evaluate<T>(expression: string): Promise<T>;
}

/**
 * A Chromium for the tests of the calling `describe`, spoken to by its own protocol; where none is on PATH, as `chromium` or
 * `google-chrome`, they are skipped. `options` are those of its command line.
 */
export function useBrowser(options: readonly string[] = []): { open(url: string, view?: View): Promise<Tab> } {
  let profile = '';
  let child: ChildProcess | undefined;
  let socket: WebSocket | undefined;
  let last = 0;
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();

  before('start the browser', async function () {
    this.timeout(60_000);
    const program = await findChromium();
    if (program === null) {
      console.log('      no chromium on PATH: not looked at in a browser');
      return this.skip();
    }
    profile = await mkdtemp(join(tmpdir(), 'payments-browser-'));
    const args = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      ...options,
    ];
    child = spawn(program, [...args, 'about:blank'], { stdio: 'ignore' });
    const address = await eventually(
      'the browser says where it listens',
      async () => {
        const text = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
        const [port, path] = text.split('\n');
        return path && `ws://127.0.0.1:${port}${path}`;
      },
      { timeoutMs: 50_000 },
    );
    socket = new WebSocket(address);
    socket.addEventListener('message', ({ data }) => {
      const message: Message = JSON.parse(String(data));
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else waiting.get(message.id)?.(message);
    });
    await new Promise((resolve, reject) => {
      socket?.addEventListener('open', resolve);
      socket?.addEventListener('error', reject);
    });
  });

  after('end the browser', async () => {
    socket?.close();
    if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    if (profile !== '') await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  async function call(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++last;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    socket?.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    const { result, error } = await answer;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  return {
    async open(url, { width, height, scheme, isPolicyIgnored = false } = desktop) {
      const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
      const session = String(sessionId);
      const send = (method: string, params?: object) => call(method, params, session);
      const complaints: string[] = [];
      let loaded = (): void => {};
      const load = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      listeners.add(({ sessionId: from, method, params }) => {
        if (from !== session) return;
        if (method === 'Log.entryAdded') complaints.push(String(params?.entry?.text));
        if (method === 'Page.loadEventFired') loaded();
      });
      await Promise.all([send('Page.enable'), send('Log.enable'), send('Runtime.enable')]);
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: true });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await send('Page.setBypassCSP', { enabled: isPolicyIgnored });
      await send('Page.navigate', { url });
      await load;
      return {
        complaints,
        async evaluate<T>(expression: string) {
          const { result } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
          return (result as { value: T }).value;
        },
      };
    },
  };
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { entry?: { text: string } };
  result?: Record<string, unknown>;
  error?: { message: string };
}

async function findChromium(): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const file = join(folder, name);
      if (
        await access(file).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  }
  return null;
}
