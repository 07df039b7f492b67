import { Type } from 'typebox';
import type { Db } from '../../platform/postgres/connection.ts';
import { type FieldError, onePerPath } from '../../resources/field-errors.ts';
import { assertNoErrors, BadRequest, NotFound } from '../../services/errors.ts';
import type { Context, Middleware, RequestState } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { parseJson, unstorable } from '../validation/json.ts';
import { compileQuery } from '../validation/query.ts';
import { referenceChecker } from '../validation/references.ts';
import { compileChecker } from '../validation/validation.ts';

const noQuery = Type.Object({});
const noBody = Type.Object({}, { additionalProperties: false });

/**
 * Validates path, query and body against the route's schemas, which are compiled once. Path parameters that do not
 * match are 404. A body that is not JSON and an invalid query are 400. A body that breaks its schema gets the route's
 * status, and all field errors are reported, including those of ids that do not exist.
 */
export function readInput(route: Route, db: Db): Middleware {
  const queryOf = compileQuery(route.query ?? noQuery);
  const checkParams = route.params && compileChecker(route.params);
  const bodySchema = route.body ?? noBody;
  const checkBody = compileChecker(bodySchema);
  const checkReferences = referenceChecker(bodySchema);

  /** Only secret keys learn whether an id exists. If the database is unreachable, the other errors are enough. */
  async function unknownIn({ context, key }: RequestState, body: unknown, errors: FieldError[]): Promise<FieldError[]> {
    if (context === undefined || key?.kind !== 'secret') return [];
    return checkReferences(db, context, body, errors).catch(() => []);
  }

  return async (ctx, next) => {
    const params: Record<string, string> = ctx.params;
    if (unstorable(params, '').length > 0 || checkParams?.(params).length) {
      throw new NotFound('object', Object.values(params).join(', ').replaceAll('\0', ''));
    }
    ctx.state.params = params;
    ctx.state.query = queryOf(ctx.querystring);
    const { bytes } = ctx.state;
    if (bytes !== undefined) {
      // An empty body is treated as `{}`, so that the field errors name what is required.
      const body = bytes.length === 0 ? {} : readJson(ctx, bytes);
      const errors = onePerPath([...unstorable(body, ''), ...checkBody(body)]);
      if (errors.length > 0) assertNoErrors(onePerPath([...errors, ...(await unknownIn(ctx.state, body, errors))]));
      ctx.state.body = route.body ? body : undefined;
    }
    return next();
  };
}

function readJson(ctx: Context, bytes: Buffer): unknown {
  const type = ctx.get('Content-Type');
  if (!/^application\/json *(; *charset="?utf-?8"? *)?$/i.test(type)) {
    throw new BadRequest('The body must be JSON, with Content-Type: application/json.', 'unsupported_content_type');
  }
  return parseJson(bytes);
}
