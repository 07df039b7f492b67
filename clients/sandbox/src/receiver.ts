import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type PaymentsClient, verifyWebhook, type WebhookEvent } from '@payments-service/client';

const defaultTimeoutMs = 30_000;
const lookAgainAfterMs = 20;

/** An endpoint on this machine. It verifies each webhook and keeps its event. */
export interface WebhookReceiver {
  readonly url: string;
  /** The events that have come, in the order of their `sequence`, each once. */
  readonly events: WebhookEvent[];
  /**
   * Returns the first event of this type, and about this object; waits until it has come.
   * @throws Error if it has not come after `timeoutMs` (half a minute).
   */
  waitFor(type: string, options?: { about?: string; timeoutMs?: number }): Promise<WebhookEvent>;
  /** Ends the receiver. The endpoint stays until the account is cleared. */
  close(): void;
}

/** Starts a receiver and creates an endpoint for it. */
export async function startReceiver(payments: PaymentsClient, event_types: string[]): Promise<WebhookReceiver> {
  const received = new Map<string, WebhookEvent>();
  let secret = '';

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const event = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
      received.set(event.id, event);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  }

  const server = createServer((request, response) => void receive(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  function close(): void {
    server.closeAllConnections();
    server.close();
  }
  try {
    ({ secret = '' } = await payments.webhookEndpoints.create({ url, event_types }));
  } catch (error) {
    close();
    throw error;
  }

  const inOrder = () => [...received.values()].sort((one, other) => one.sequence - other.sequence);
  return {
    url,
    get events() {
      return inOrder();
    },
    async waitFor(type, { about, timeoutMs = defaultTimeoutMs } = {}) {
      const isWanted = ({ event_type, data }: WebhookEvent) =>
        event_type === type && (about === undefined || ('id' in data && data.id === about));
      for (const giveUpAt = performance.now() + timeoutMs; ; ) {
        const event = inOrder().find(isWanted);
        if (event !== undefined) return event;
        if (performance.now() > giveUpAt) {
          const came =
            inOrder()
              .map(({ event_type }) => event_type)
              .join(', ') || 'nothing';
          const what = about === undefined ? type : `${type} of ${about}`;
          throw new Error(`${what} has not come within ${timeoutMs} ms, but ${came}.`);
        }
        await new Promise((resolve) => setTimeout(resolve, lookAgainAfterMs));
      }
    },
    close,
  };
}
