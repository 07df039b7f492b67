import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { findOnPath } from '../dev/tool.ts';
import { readHost } from '../src/processes/config/config.ts';
import { eventually } from './eventually.ts';

/** How a page is shown. */
export interface View {
  width: number;
  height: number;
  scheme: 'light' | 'dark';
  /** Of its pictures; 1 if not given. */
  scale?: number;
  /** Whether the page may set the viewport, as on a telephone; true if not given. */
  isMobile?: boolean;
  /** The Content-Security-Policy of pages is ignored, as if the page came from a server that sends none. */
  isPolicyIgnored?: boolean;
  /** The scripts of pages do not run. `evaluate` still does. */
  isWithoutScripts?: boolean;
  /** Where the person sits, as an IANA name; that of the machine if not given. */
  timeZone?: string;
}

/** A page in a real browser. */
export interface Tab {
  /** What the browser reports: errors, and what a policy blocked. */
  readonly complaints: string[];
  /** Runs an expression in the page, whatever the page's policy, and returns its value, or that of its promise. */
  evaluate<T>(expression: string): Promise<T>;
  /**
   * Runs an expression in the first frame of the page, which must be of the same site, and returns its value. Null if
   * the page has no frame.
   */
  inFrame<T>(expression: string): Promise<T | null>;
  goto(url: string): Promise<void>;
  /** Runs an expression that leads to another page, such as a click on a link, and waits until that is loaded. */
  follow(expression: string): Promise<void>;
  /** As PNG. */
  picture(): Promise<Buffer>;
}

export interface Browser {
  open(view: View): Promise<Tab>;
  close(): Promise<void>;
}

const programs = ['chromium', 'chromium-browser', 'google-chrome'];
const waiting = { timeoutMs: 50_000 };

/** The path of a Chromium on PATH, or null. */
export async function findChromium(): Promise<string | null> {
  const found = await Promise.all(programs.map((name) => findOnPath(name, readHost().searchPath)));
  return found.find((path) => path !== null) ?? null;
}

/** Starts a Chromium without a window and talks to it by the DevTools protocol; `options` are for its command line. */
export async function openBrowser(program: string, options: readonly string[] = []): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'payments-browser-'));
  const always = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run'];
  const args = [...always, '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...options, 'about:blank'];
  const child = spawn(program, args, { stdio: 'ignore' });
  const close = async () => {
    await kill(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = async () => {
      const [port, path] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n');
      return path && `ws://127.0.0.1:${port}${path}`;
    };
    const { send, listen, end } = await connect(await eventually('the browser listens', address, waiting));
    return {
      open: (view) => openTab(view, send, listen),
      async close() {
        end();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Send = (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>;

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { entry?: { text: string } };
  result?: Record<string, unknown>;
  error?: { message: string };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const replies = new Map<number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data));
    if (message.id === undefined) for (const listener of listeners) listener(message);
    else replies.get(message.id)?.(message);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const send: Send = async (method, params = {}, sessionId) => {
    const id = ++last;
    const reply = new Promise<Message>((resolve) => replies.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    const { result, error } = await reply;
    replies.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
  return { send, listen: (listener: (message: Message) => void) => listeners.add(listener), end: () => socket.close() };
}

async function openTab(
  view: View,
  sendToBrowser: Send,
  listen: (listener: (message: Message) => void) => void,
): Promise<Tab> {
  const { width, height, scheme, scale = 1, isMobile = true, isPolicyIgnored = false } = view;
  const { targetId } = await sendToBrowser('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await sendToBrowser('Target.attachToTarget', { targetId, flatten: true });
  const session = String(sessionId);
  const send = (method: string, params?: object) => sendToBrowser(method, params, session);
  const complaints: string[] = [];
  let loads = 0;
  listen(({ sessionId: from, method, params }) => {
    if (from !== session) return;
    if (method === 'Log.entryAdded') complaints.push(String(params?.entry?.text));
    if (method === 'Page.loadEventFired') loads += 1;
  });
  await Promise.all([send('Page.enable'), send('Log.enable'), send('Runtime.enable')]);
  const metrics = { width, height, deviceScaleFactor: scale, mobile: isMobile };
  await send('Emulation.setDeviceMetricsOverride', metrics);
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  await send('Page.setBypassCSP', { enabled: isPolicyIgnored });
  await send('Emulation.setScriptExecutionDisabled', { value: view.isWithoutScripts ?? false });
  if (view.timeZone !== undefined) await send('Emulation.setTimezoneOverride', { timezoneId: view.timeZone });
  return {
    complaints,
    async goto(url) {
      const before = loads;
      await send('Page.navigate', { url });
      await eventually(`${url} is loaded`, () => loads > before, waiting);
    },
    async follow(expression) {
      const before = loads;
      await send('Runtime.evaluate', { expression });
      await eventually('the next page is loaded', () => loads > before, waiting);
    },
    async evaluate<T>(expression: string) {
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      return (result as { value: T }).value;
    },
    async inFrame<T>(expression: string) {
      for (let tries = 1; ; tries += 1) {
        const { frameTree } = await send('Page.getFrameTree');
        const [child] = (frameTree as { childFrames?: { frame: { id: string } }[] }).childFrames ?? [];
        if (child === undefined) return null;
        try {
          // A world of its own: it shares the frame's document, and no policy applies to it.
          const { executionContextId } = await send('Page.createIsolatedWorld', { frameId: child.frame.id });
          const asked = { expression, returnByValue: true, awaitPromise: true, contextId: executionContextId };
          const { result } = await send('Runtime.evaluate', asked);
          return (result as { value: T }).value;
        } catch (error) {
          // The frame was given another document meanwhile: the world went with the former one. Ask the new one.
          const isReplaced = /Cannot find context|No frame for given id|was destroyed/.test(String(error));
          if (!isReplaced || tries === 20) throw error;
        }
        await pause(100);
      }
    },
    async picture() {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(String(data), 'base64');
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.kill('SIGKILL')) await ended;
}
