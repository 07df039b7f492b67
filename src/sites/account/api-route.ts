import type { Route } from '../../api/http/route.ts';
import { apiRoutes } from '../../api/routes/index.ts';

/** Returns the route of the API with this operation id. @throws if there is none. */
export function apiRoute(operation: string): Route {
  const found = apiRoutes.find((route) => route.operation === operation);
  if (found === undefined) throw new Error(`the API has no operation ${operation}`);
  return found;
}
