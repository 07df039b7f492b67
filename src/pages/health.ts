import type { Answer, PageRoute, Visit } from './visit.ts';

function answer(status: number, word: string): Answer {
  return { status, body: JSON.stringify({ status: word }), type: 'application/json; charset=utf-8', cache: 'no-store' };
}

/** Whether pages can be shown: for a balancer, which takes a process out before it ends. */
async function readiness({ deps }: Visit): Promise<Answer> {
  return deps.isReady().then(
    () => answer(200, 'ok'),
    () => answer(503, 'unavailable'),
  );
}

/** Liveness (`/healthz`: the process runs) and readiness (`/readyz`: it can show pages), as the API has them. */
export const healthRoutes: PageRoute[] = [
  { method: 'GET', path: '/healthz', handle: async () => answer(200, 'ok') },
  { method: 'GET', path: '/readyz', handle: readiness },
];
