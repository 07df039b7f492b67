import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { route } from '../../src/api/http/route.ts';
import { getCustomer } from '../../src/services/customers/customers.ts';
import { deleteCustomer } from '../../src/services/subjects/customer-deletion.ts';

const tag = { name: 'Probe', description: 'For this test.' };
const common = { path: '/probe', operation: 'probe', tag, summary: 'Probe', invalid: 400 } as const;
const withKey = { ...common, access: { scope: 'customers:read' } } as const;
const response = { status: 200, schema: Type.Unknown() };

describe('a handler', () => {
  it('has neither a biller nor the database without authentication, or the types refuse it', () => {
    const access = 'public';
    // @ts-expect-error: no request context
    route({ ...common, access, method: 'GET', response, handle: async ({ context }) => context.billerId });
    // @ts-expect-error: no database
    route({ ...common, access, method: 'GET', response, handle: async ({ deps }) => deps.db });
    // @ts-expect-error: nothing of Temporal
    route({ ...common, access, method: 'GET', response, handle: async ({ deps }) => deps.operations });
  });

  it('cannot write, nor call a processor, when it reads', () => {
    const method = 'GET';
    route({ ...withKey, method, response, handle: ({ deps, context }) => getCustomer(deps.db, context, 'cus_1') });
    // @ts-expect-error: a service that writes takes no Reader
    route({ ...withKey, method, response, handle: ({ deps, context }) => deleteCustomer(deps.db, context, 'cus_1') });
    // @ts-expect-error: no processors
    route({ ...withKey, method, response, handle: async ({ deps }) => deps.processors });
  });

  it('cannot call a processor when it writes, unless it commits first', () => {
    const method = 'POST';
    route({ ...withKey, method, response, handle: ({ deps, context }) => deleteCustomer(deps.db, context, 'cus_1') });
    // @ts-expect-error: no processors within a transaction
    route({ ...withKey, method, response, handle: async ({ deps }) => deps.processors });
    // @ts-expect-error: only a committed-first route stores its response itself
    route({ ...withKey, method, response, handle: async ({ deps }) => deps.storeResponse });
    const idempotency = 'committed-first';
    route({ ...withKey, method, idempotency, response, handle: async ({ deps }) => deps.processors });
  });

  it('does not see the scopes of the key when it writes: a repeated request is not handled', () => {
    const [read, write] = ['GET', 'POST'] as const;
    route({ ...withKey, method: read, response, handle: async ({ key }) => key.scopes });
    // @ts-expect-error: the route declares assertScopes
    route({ ...withKey, method: write, response, handle: async ({ key }) => key.scopes });
  });

  it('calls a processor only for a body that commits first, where its route says so of the body', () => {
    const common = { ...withKey, method: 'POST', idempotency: 'by-body', commitsFirst: () => true, response } as const;
    const probe = route({
      ...common,
      handle: async ({ deps }) => (deps.commitsFirst ? deps.processors : deps.outbound),
    });
    // @ts-expect-error: not in a transaction
    route({ ...common, handle: async ({ deps }) => deps.processors });
    // @ts-expect-error: not in a transaction
    route({ ...common, handle: async ({ deps }) => (deps.commitsFirst ? null : deps.request) });
    assert.equal(probe.idempotency, 'by-body');
  });
});
