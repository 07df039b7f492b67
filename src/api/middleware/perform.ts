import { Type } from 'typebox';
import { type AuditRow, insertAuditRow } from '../../db/audit-log.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { AuditAction, Changes } from '../../services/accounts/audit.ts';
import { assertNoErrors } from '../../services/errors.ts';
import type { Context } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { compileChecker } from '../validation/validation.ts';
import { assertAllowed } from './authenticate.ts';
import type { IdempotencyStore } from './idempotency.ts';
import { executor } from './respond.ts';

/** What a person does on a page: a request to a route of the API, and who makes it. */
export interface PersonsAction {
  route: Route;
  params: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>> | undefined;
  /** Sent twice with the same key, it is done once. No request to the API can have this key. */
  key: string;
  /** What the audit log says of it, in the transaction in which its work begins. */
  audit: { action: AuditAction; person: string; subjectId: string; changes: Changes };
}

/** Does what a person asks for on a page, by the route of the API that does it. Returns the body of its response. */
export type Perform = (ctx: Context, action: PersonsAction) => Promise<unknown>;

const noBody = Type.Object({}, { additionalProperties: false });

/**
 * Does what a person asks for as the API does it for the key of the request: the same access, the same checks, the same
 * service and the same store for repeated requests. `ctx.state` has the key and the context.
 * @throws ServiceError as the API would refuse it.
 */
export function performer(db: Db, store: IdempotencyStore): Perform {
  return async (ctx, { route, params, body, key, audit }) => {
    const { key: caller, context } = ctx.state;
    if (caller === undefined || context === undefined) throw new Error('perform runs before authentication');
    if (route.access === 'public') throw new Error('a public route has nobody who could be named');
    assertAllowed(route.access, caller, context.livemode);
    assertNoErrors(compileChecker(route.body ?? noBody)(body ?? {}));
    const sent = { params, body: route.body ? (body ?? {}) : undefined };
    await route.assertScopes?.(caller.scopes, { ...sent, context, db });
    const { billerId, livemode, now: at, requestId } = context;
    const row: Omit<AuditRow, 'id'> = {
      ...{ at, action: audit.action, actor_kind: 'person', actor_id: audit.person },
      ...{ biller_id: billerId, livemode, subject_id: audit.subjectId, request_id: requestId, changes: audit.changes },
    };
    Object.assign(ctx.state, { ...sent, query: {}, pageForm: { key, audit: row } });
    const { text } = await store(route, ctx, executor);
    // Only a POST claims a key.
    if (route.method !== 'POST') await insertAuditRow(db, row);
    return JSON.parse(text);
  };
}
