import { Type } from 'typebox';
import { instant, Strict } from '../../resources/common.ts';
import { testClocks } from '../../resources/test-clock.ts';
import { auditOrigin } from '../../services/accounts/audit.ts';
import { assertMayOpen } from '../../services/workbench/access.ts';
import { createLink as makeLink } from '../../services/workbench/links.ts';
import { type Route, route } from '../http/route.ts';

/** For the command line, which prints the link. The pages themselves are in `src/sites/workbench/`. */
const createLink = route({
  method: 'POST',
  path: '/api/v1/test_helpers/workbench_links',
  operation: 'createWorkbenchLink',
  tag: testClocks,
  summary: 'Create a link to the workbench',
  description: 'Anyone who has the link sees the sandbox account and moves its clocks, for one hour.',
  access: { scope: 'test_clocks:write', sandboxOnly: true },
  assertScopes: assertMayOpen,
  invalid: 422,
  undocumented: true,
  response: {
    status: 201,
    schema: Strict(
      {
        path: Type.String({ description: 'The path of the link, on the host of the API.' }),
        expires_at: Type.String({ format: 'date-time', description: 'When it ends, real time.' }),
      },
      { title: 'WorkbenchLink' },
    ),
  },
  handle: async ({ context, key, deps }) => {
    const { token, expiresAt } = await makeLink(deps.db, deps.vault, key.id, auditOrigin(context));
    return { path: `/workbench/${token}/`, expires_at: instant(expiresAt) };
  },
});

export const workbenchRoutes: Route[] = [createLink];
