import type { Route } from '../api/http/route.ts';
import { apiRoutes } from '../api/routes/index.ts';
import { referenceRoutes } from './reference/routes.ts';

/** All routes: those of the API and, last in the documentation, those of the reference. */
export const allRoutes: readonly Route[] = [...apiRoutes, ...referenceRoutes(() => allRoutes)];
