import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'undici';

/** One page of a headless Chromium. */
export interface Page {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page. */
  read<T>(expression: string): Promise<T>;
  /** Waits until the expression is true in the page; throws, naming `what`, when it is not in time. */
  until(what: string, expression: string): Promise<void>;
  /** Clicks the button, link or menu entry whose text begins so, or that is called so for tests; of several the last, which lies on top. */
  click(text: string): Promise<void>;
  png(): Promise<Buffer>;
}

export interface Browser {
  page: Page;
  close(): Promise<void>;
}

const startTimeoutMs = 20_000;
const waitTimeoutMs = 20_000;
/** Menus and forms of the Web UI open slowly. */
const animationMs = 1_000;

/** Starts a Chromium of the machine without a window and opens an empty page of this size in it; its pictures are smaller by `scale`. */
export async function openBrowser(
  program: string,
  { width, height, scale }: { width: number; height: number; scale: number },
): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'screenshots-'));
  const child = spawn(
    program,
    [
      ...['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, `--window-size=${width},${height}`],
      ...['--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-background-networking'],
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const send = await connect(await addressOf(child));
    await send('Page.enable', {});
    await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    return { page: pageOf(send), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where Chromium is spoken to, by the DevTools protocol: it says so itself when it is up. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Chromium has no standard error');
  const found = (async () => {
    for await (const line of createInterface({ input: stderr })) {
      const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line) ?? [];
      if (port !== undefined) return port;
    }
    throw new Error('Chromium has ended');
  })();
  const port = await Promise.race([found, pause(startTimeoutMs, null, { ref: false })]);
  if (port === null) throw new Error(`Chromium was not up within ${startTimeoutMs / 1000} s`);
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const targets = (await answer.json()) as { type: string; webSocketDebuggerUrl: string }[];
  const page = targets.find(({ type }) => type === 'page');
  if (page === undefined) throw new Error('Chromium has no page');
  return page.webSocketDebuggerUrl;
}

type Send = (method: string, params: object) => Promise<Record<string, unknown>>;

interface Message {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

async function connect(url: string): Promise<Send> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let last = 0;
  return async (method, params) => {
    const id = ++last;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
}

function pageOf(send: Send): Page {
  const page: Page = {
    async goto(url) {
      await send('Page.navigate', { url });
      await page.until(`${url} is loaded`, `location.href !== 'about:blank' && document.readyState === 'complete'`);
    },
    async read<T>(expression: string) {
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      return (result as { value: T }).value;
    },
    async until(what, expression) {
      const giveUpAt = performance.now() + waitTimeoutMs;
      while ((await page.read<boolean>(`Boolean(${expression})`).catch(() => false)) !== true) {
        if (performance.now() > giveUpAt) throw new Error(`not within ${waitTimeoutMs / 1000} s: ${what}`);
        await pause(100);
      }
    },
    async click(text) {
      const name = JSON.stringify(text);
      const found = `[...document.querySelectorAll('button, a, [role=menuitem], [role=option], [role=combobox]')]
        .filter((element) => element.checkVisibility())
        .filter(({ dataset, textContent: text }) => dataset.testid === ${name} || text.trim().startsWith(${name}))
        .at(-1)`;
      await page.until(`"${text}" can be clicked`, found);
      await page.read(`${found}.click()`);
      await pause(animationMs);
    },
    async png() {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(String(data), 'base64');
    },
  };
  return page;
}
