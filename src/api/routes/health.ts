import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { Unavailable } from '../../services/errors.ts';
import { route } from '../http/route.ts';

/** A check that takes longer fails. */
const checkMs = 2_000;

const Healthy = Type.Object({ status: Type.Literal('ok') }, { title: 'Healthy', additionalProperties: false });

const tag = { name: 'Health', description: 'For operators of the service.' };

/** Liveness (`/healthz`: the process runs) and readiness (`/readyz`: it can serve requests). No key is needed. */
export const healthRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    operation: 'getHealth',
    tag,
    summary: 'Check that the process is running',
    access: 'public',
    invalid: 400,
    response: { status: 200, schema: Healthy },
    handle: async () => ({ status: 'ok' as const }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    operation: 'getReadiness',
    tag,
    summary: 'Check that the service can handle requests',
    access: 'public',
    invalid: 400,
    errors: { 503: 'A check failed. `missing` names it.' },
    response: { status: 200, schema: Healthy },
    async handle({ deps }) {
      const results = await Promise.all(Object.entries(deps.checks).map(([name, check]) => failed(name, check)));
      const missing = results.filter((name) => name !== null);
      if (missing.length > 0) {
        const message = `Not ready. These checks failed: ${missing.join(', ')}. Check that they run, and their addresses.`;
        throw new Unavailable(message, { missing });
      }
      return { status: 'ok' as const };
    },
  }),
];

async function failed(name: string, check: () => Promise<unknown>): Promise<string | null> {
  const stop = new AbortController();
  try {
    return await Promise.race([check().then(() => null), pause(checkMs, name, { signal: stop.signal })]);
  } catch {
    return name;
  } finally {
    stop.abort();
  }
}
