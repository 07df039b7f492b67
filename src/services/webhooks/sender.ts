import { Agent } from 'undici';
import { createGuardedConnector, type OutboundPolicy } from '../../platform/outbound-address.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { describeRequestFailure } from '../../platform/request-failure.ts';
import { returnsChallenge } from './challenge.ts';
import { type BatchTurn, createSendingTurns, type Later, type Now } from './sending-turns.ts';

/** One POST to a receiver. */
export interface WebhookRequest {
  /** The endpoint whose turn the request uses. */
  endpointId: string;
  /** For how long the endpoint has only failed, in milliseconds. Null if its last request succeeded, or was none. */
  failingMs: number | null;
  url: string;
  livemode: boolean;
  headers: Record<string, string>;
  body: string;
  /** For a ping: what the receiver must return. */
  challenge?: string | undefined;
}

/** The receiver's response, or why there was none. Failures are values, never exceptions. */
export type WebhookResponse = { durationMs: number } & (
  | {
      kind: 'responded';
      statusCode: number;
      retryAfter: string | null;
      excerpt: string;
      /** Whether the first 2 KiB of the body return the challenge. */
      returnsChallenge: boolean;
    }
  | { kind: 'failed'; error: string }
);

/** A request of a batch: under way, or not sent. */
export type BatchRequest = { kind: 'sent'; response: Promise<WebhookResponse> } | Exclude<BatchTurn, { kind: 'now' }>;

export interface WebhookSender {
  /** Sends a request, or returns that it must be sent later. */
  send(request: WebhookRequest): Promise<WebhookResponse | Later>;
  /** Sends one of the requests of a batch, if its endpoint may get one now. */
  sendInBatch(request: WebhookRequest): BatchRequest;
  /** Closes all connections. Requests under way are cut off. */
  close(): Promise<void>;
}

/** How many bytes of a response body are kept. The rest is not read. */
const excerptBytes = 2048;

/**
 * Shorter than the five seconds after which many servers close an idle connection. A request on a closing connection
 * gets no response.
 */
const keepAliveMs = 4000;

/**
 * Returns a sender that reuses connections; each is checked when it is opened. In live mode only public addresses are
 * reached, whatever `policy` allows in sandbox. `timeoutMs` covers everything: name resolution, connection and
 * response.
 */
export function createWebhookSender({
  policy,
  timeoutMs = 15_000,
}: {
  policy: OutboundPolicy;
  timeoutMs?: number;
}): WebhookSender {
  const agents = {
    live: openAgent({ ...policy, allowLoopback: false }, timeoutMs),
    sandbox: openAgent(policy, timeoutMs),
  };
  const turns = createSendingTurns();

  async function send(request: WebhookRequest): Promise<WebhookResponse | Later> {
    const turn = turns.ask(request.endpointId, request.failingMs);
    return turn.kind === 'now' ? sendNow(request, turn) : turn;
  }

  function sendInBatch(request: WebhookRequest): BatchRequest {
    const turn = turns.askInBatch(request.endpointId);
    return turn.kind === 'now' ? { kind: 'sent', response: sendNow(request, turn) } : turn;
  }

  async function sendNow(request: WebhookRequest, turn: Now): Promise<WebhookResponse> {
    let hasResponse = false;
    try {
      const response = await post(agents[request.livemode ? 'live' : 'sandbox'], request, timeoutMs);
      hasResponse = response.kind === 'responded';
      return response;
    } finally {
      turn.end(hasResponse);
    }
  }

  return {
    send,
    sendInBatch,
    close: async () => {
      await Promise.all([agents.live.destroy(), agents.sandbox.destroy()]);
    },
  };
}

function openAgent(policy: OutboundPolicy, timeoutMs: number): Agent {
  return new Agent({
    connect: createGuardedConnector(policy, timeoutMs),
    connections: null, // as many as there are slots: endpoints on the same host do not wait for each other
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 30_000,
    // One timeout of our own covers all phases. A receiver that sends a byte now and then cannot prolong it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function post(agent: Agent, request: WebhookRequest, timeoutMs: number): Promise<WebhookResponse> {
  const started = performance.now();
  const duration = () => Math.round(performance.now() - started);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const url = new URL(request.url);
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: timeout.signal,
    });
    const retryAfter = response.headers['retry-after'];
    // The status line is the receiver's word. However the body goes on, or breaks off, does not change it.
    const body = await readBeginning(response.body);
    return {
      kind: 'responded',
      statusCode: response.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      // PostgreSQL text cannot contain NUL.
      excerpt: withoutSecrets(body.replaceAll('\0', '\ufffd')),
      returnsChallenge: request.challenge !== undefined && returnsChallenge(body, request.challenge),
      durationMs: duration(),
    };
  } catch (error) {
    const reason = timeout.signal.aborted ? `no response within ${timeoutMs / 1000} s` : describeRequestFailure(error);
    return { kind: 'failed', error: reason, durationMs: duration() };
  } finally {
    clearTimeout(timer);
  }
}

async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > excerptBytes) break; // leaving the loop destroys the body and its connection
    }
  } catch {
    // Cut off by the timeout or by the receiver: what has arrived is kept.
  }
  const bytes = Buffer.concat(chunks).subarray(0, excerptBytes);
  // In stream mode, the decoder drops a last character that was cut in two.
  return new TextDecoder().decode(bytes, { stream: true });
}
