// Shows each request to stripe-mock too, which checks it against Stripe's own OpenAPI document.

import { type LoopbackServer, serveOnLoopback } from '../loopback-server.ts';
import { ask, type Request } from './exchange.ts';
import { rigKey } from './servers.ts';

/** A request that Stripe's document does not allow. */
interface Complaint {
  /** Method and path with its query. */
  readonly call: string;
  readonly body: string;
  readonly status: number;
  /** What stripe-mock says. */
  readonly message: string;
}

export interface Shadow extends LoopbackServer {
  /** The requests so far that stripe-mock does not accept: none, in a test that is to pass. */
  complaints(): Promise<readonly Complaint[]>;
  /** How many requests stripe-mock has judged. */
  readonly judged: number;
}

/** Opens a server that passes requests on to `target`, whose answers count, and shows them to stripe-mock at `mock`. */
export async function openShadow(target: string, mock: string): Promise<Shadow> {
  const complaints: Complaint[] = [];
  const underWay = new Set<Promise<void>>();
  let judged = 0;

  async function judge({ method, path, headers, body }: Request): Promise<void> {
    // It takes keys of the test mode alone, and the keys of this rig are not its business.
    const shown = { ...headers, authorization: `Bearer ${rigKey}` };
    const answer = await ask(mock, { method, path, headers: shown, body });
    judged += 1;
    if (answer.status >= 400) {
      complaints.push({ call: `${method} ${path}`, body, status: answer.status, message: messageOf(answer.body) });
    }
  }

  const server = await serveOnLoopback(async (received, response) => {
    const judging = judge(received).catch((error: unknown) => {
      const call = `${received.method} ${received.path}`;
      complaints.push({ call, body: received.body, status: 0, message: String(error) });
    });
    underWay.add(judging);
    judging.finally(() => underWay.delete(judging));
    const { status, headers, body } = await ask(target, received);
    response.writeHead(status, headers).end(body);
  });
  return {
    url: server.url,
    get connections() {
      return server.connections;
    },
    get judged() {
      return judged;
    },
    async complaints() {
      await Promise.all(underWay);
      return complaints;
    },
    cut: () => server.cut(),
    async close() {
      await Promise.all(underWay);
      await server.close();
    },
  };
}

function messageOf(body: string): string {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return body;
  }
}
