import { after, before } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { createHttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { accountReader } from '../../src/services/customers/bank-accounts.ts';
import { readNotices } from '../../src/services/processor-notices/reading.ts';
import { settleNotices } from '../../src/services/processor-notices/settling.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useFolder } from '../runtime/support.ts';
import { useService } from './service.ts';

type Members = Record<string, unknown>;

const secret = 'secret-of-the-door-of-notices';
const [port = 0] = await findFreePorts(1);
const url = `http://127.0.0.1:${port}`;

/**
 * A live service without workers, whose processor does things on its own: the stand-in, behind a door where a test says
 * what it answers instead, and which notices it gives.
 */
export function useNoticing() {
  const folder = useFolder();
  const live = createHttpProcessor({
    ...{ url, secret },
    readAccount: (...of) => accountReader(service.db.sql, () => service.vault)(...of),
  });
  const processors = { sandbox: sandboxProcessor, live };
  const service = useService({ processors, idle: true });
  let standIn: StandIn;
  let door: LoopbackServer;
  const here = {
    service,
    processors,
    charging: { processors, hook: chargeHook },
    environment: { LIVE_PROCESSOR_URL: url, LIVE_PROCESSOR_SECRET: secret },
    get standIn() {
      return standIn;
    },
    /** Notices as the door gives them; their cursor is how many there are. */
    notices: [] as Members[],
    /** The accounts that the acquirer refuses; undefined if the door does not say. */
    refused: undefined as Members[] | undefined,
    /** What is answered instead, by path and by the reference or the key of the call. Null: the connection is cut. */
    answers: new Map<string, Members | null>(),
    /** The calls so far, as `path reference`. */
    calls: [] as string[],
    /** What a worker does: reads the notices that are there, and asks about those that are due. */
    async hear(by = 'the test'): Promise<void> {
      if (here.notices.length > 0) await readNotices(service.db.sql, live, by, new AbortController().signal);
      await settleNotices(service.db.sql, here.charging);
    },
    /** The charges that the processor has made for a payment. */
    takenFor: async (intentId: string) =>
      (await standIn.calls()).filter(
        (call) => call.kind === 'charge' && !call.repeated && call.payment_intent_id === intentId,
      ).length,
    /** The references of a payment’s reservations, the newest last. */
    async referenceOf(intentId: string): Promise<string> {
      const rows = await service.db.sql<{ reference: string }[]>`
        select r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
        where a.payment_intent_id = ${intentId} order by a.number, r.number`;
      return rows.at(-1)?.reference ?? '';
    },
  };

  before('start a processor and its door', async () => {
    standIn = await startStandIn(folder.path);
    door = await serveOnLoopback(
      async (received, response) => {
        const { path, headers, body, message } = received;
        const members = JSON.parse(body) as Members;
        const key = String(headers['idempotency-key'] ?? '');
        const about = String(members.reference ?? members.mandate_reference ?? key);
        here.calls.push(`${path} ${about}`);
        if (path === '/notices') {
          const from = members.after === null ? here.notices.length : Number(members.after);
          const notices = here.notices.slice(from);
          const cursor = String(here.notices.length);
          return response
            .writeHead(200)
            .end(JSON.stringify({ notices, cursor, has_more: false, refused: here.refused }));
        }
        const instead = here.answers.get(here.answers.has(`${path} ${about}`) ? `${path} ${about}` : path);
        if (instead === null) return message.socket.destroy();
        if (instead !== undefined) {
          const ids = path.startsWith('/refunds') ? { idempotency_key: key } : { reference: about };
          return response.writeHead(200).end(JSON.stringify({ ...ids, ...instead }));
        }
        const sent = { authorization: `Bearer ${standIn.secret}`, ...(key === '' ? {} : { 'idempotency-key': key }) };
        const answer = await fetch(`${standIn.url}${path}`, { method: 'POST', headers: sent, body });
        return response.writeHead(answer.status).end(await answer.text());
      },
      { port },
    );
    await readNotices(service.db.sql, live, 'the test', new AbortController().signal);
  });
  beforeEach('forget what the last test has said', () => {
    here.answers.clear();
    here.calls.length = 0;
  });
  after('end them', async () => {
    await live.close();
    await door?.close();
    await standIn?.stop();
  });
  return here;
}
