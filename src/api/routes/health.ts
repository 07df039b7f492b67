import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { refusalOf } from '../../platform/database-causes.ts';
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
      const failures = results.filter((result) => result !== null);
      if (failures.length > 0) {
        const missing = failures.map(({ name }) => name);
        const reasons = failures.flatMap(({ what }) => (what === null ? [] : [` ${what}.`]));
        throw new Unavailable(`Not ready. These checks failed: ${missing.join(', ')}.${reasons.join('')}`, { missing });
      }
      return { status: 'ok' as const };
    },
  }),
];

/** Returns a check that failed, and what PostgreSQL refuses if that is why. Null if it succeeded. */
async function failed(
  name: string,
  check: () => Promise<unknown>,
): Promise<{ name: string; what: string | null } | null> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      check().then(() => null),
      pause(checkMs, { name, what: null }, { signal: stop.signal }),
    ]);
  } catch (error) {
    return { name, what: refusalOf(error)?.what ?? null };
  } finally {
    stop.abort();
  }
}
