// The door of Temporal's Web UI. The Web UI accepts every Host, so a web page whose name points at 127.0.0.1 (DNS
// rebinding) could read every workflow and use every button. So it listens where no page finds it, and people reach it
// through this door, which checks Host and Origin.

import { randomInt } from 'node:crypto';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import { isLoopbackHost } from '../src/api/middleware/this-machine.ts';
import { findFreePorts, findPortsClosedToBrowsers } from './ports.ts';

/** Where the Web UI itself listens. */
export interface HiddenAddress {
  readonly host: string;
  readonly port: number;
}

export interface DoorOptions {
  port: number;
  /** A further address of the door, such as that of a proxy. */
  publicUrl: string | null;
  /** The namespace that the Web UI opens with. */
  defaultNamespace: string;
  /** Where the Web UI listens now; null while it does not run. */
  findUi: () => HiddenAddress | null;
}

export interface Door {
  close(): Promise<void>;
}

/** For one connection only, and what says more of a page than it needs to know. */
const leftOut =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|origin|referer|sec-fetch-.*|forwarded|x-forwarded-.*)$/;

/**
 * None of these frees a plan, and some lose its place. Operators have the commands of docs/operations.md instead. The
 * Web UI hides the buttons; a user with write access to Temporal can still do all of it.
 */
const hiddenButtons = {
  WorkflowTerminateDisabled: true,
  WorkflowCancelDisabled: true,
  WorkflowResetDisabled: true,
  WorkflowPauseDisabled: true,
  StartWorkflowDisabled: true,
  BatchActionsDisabled: true,
  ActivityCommandsDisabled: true,
  DisableNewsFetch: true, // no calls to the outside from a developer's machine
};

/**
 * An address for the Web UI that no page can try out. On Linux all of 127.0.0.0/8 is this machine: it is one of 2^24
 * addresses. Elsewhere it is 127.0.0.1, and a port that browsers refuse to open.
 */
export async function findHiddenAddress(): Promise<HiddenAddress> {
  if (process.platform !== 'linux') {
    const [port = 0] = await findPortsClosedToBrowsers(1);
    return { host: '127.0.0.1', port };
  }
  const [port = 0] = await findFreePorts(1);
  return { host: `127.${randomInt(1, 256)}.${randomInt(256)}.${randomInt(1, 255)}`, port };
}

/**
 * Serves the Web UI on this port of 127.0.0.1. Accepts only requests for this machine or for the host of `publicUrl`,
 * and changes only from pages of the same origin.
 * @throws when the port is taken.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const own = [`http://127.0.0.1:${options.port}`, `http://localhost:${options.port}`];
  const publicUrl = options.publicUrl === null ? null : new URL(options.publicUrl);
  const trusted = new Set([...own, ...(publicUrl === null ? [] : [publicUrl.origin])]);
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, response) => {
    const { host } = incoming.headers;
    if (!isLoopbackHost(host) && host?.toLowerCase() !== publicUrl?.host) {
      const advice = 'Open it as http://localhost, or set TEMPORAL_UI_URL to its address.';
      return refuse(response, 421, `This Web UI serves this machine alone. ${advice}`);
    }
    if (!isSafe(incoming) && isForeign(incoming.headers, trusted)) {
      return refuse(response, 403, 'This Web UI takes changes from its own pages alone.');
    }
    if (!incoming.url?.startsWith('/')) return refuse(response, 400, 'The path must begin with a slash.');
    const ui = options.findUi();
    if (ui === null) return refuse(response, 503, 'Temporal is not running. Try again in a moment.');
    forward(incoming, response, ui).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'Temporal’s Web UI does not respond. Try again in a moment.');
    });
  });

  async function forward(incoming: IncomingMessage, response: ServerResponse, { host, port }: HiddenAddress) {
    const isSettings = /^\/api\/v1\/settings\/?(\?|$)/.test(incoming.url ?? '');
    const headers = { ...passedOn(incoming.headers), host: `${host}:${port}` };
    if (isSettings) delete headers['accept-encoding'];
    const { method, url: path } = incoming;
    const sent = request({ host, port, method, path, agent, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.once('error', reject);
    });
    response.once('close', () => sent.destroy());
    const [answer] = await Promise.all([answered, pipeline(incoming, sent)]);
    const status = answer.statusCode ?? 502;
    const answerHeaders = passedOn(answer.headers);
    if (!isSettings || status !== 200) {
      response.writeHead(status, answerHeaders);
      return await pipeline(answer, response);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const settings = JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify({ ...settings, ...hiddenButtons, DefaultNamespace: options.defaultNamespace });
    response.writeHead(status, { ...answerHeaders, 'content-length': Buffer.byteLength(body) }).end(body);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  return {
    async close() {
      agent.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const isSafe = ({ method = '' }: IncomingMessage) => ['GET', 'HEAD', 'OPTIONS'].includes(method);

/** Whether a request comes from a page of another origin. Programs that are no browsers send neither header. */
function isForeign({ origin, host, ...headers }: IncomingHttpHeaders, trusted: Set<string>): boolean {
  if (origin !== undefined && trusted.has(origin)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !leftOut.test(name)));
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`);
}
