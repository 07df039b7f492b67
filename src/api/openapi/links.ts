import { asNode, asNodes, type SchemaNode } from '../http/describe-schema.ts';
import type { Route } from '../http/route.ts';
import { pathSchemas } from './parameters.ts';

/** Where an answer has the id of what it tells of: at its top, or in the object that an envelope holds. */
const places = [[], ['payment_method']];

/**
 * What can be done next with the object that a route makes, as the `links` of its response: by operation, where its id goes
 * in the path. A route that answers the object which its own path names makes none.
 */
export function linksOf(route: Route, routes: readonly Route[]): SchemaNode {
  if (route.method !== 'POST') return {};
  const made = idOf(route);
  if (made === undefined || patternsOf(route).includes(made.pattern)) return {};
  const links = routes.flatMap((next): [string, SchemaNode][] => {
    const [parameter, ...more] = Object.entries(pathSchemas(next));
    if (next.undocumented || more.length > 0 || parameter?.[1].pattern !== made.pattern) return [];
    return [[next.operation, { operationId: next.operation, parameters: { [parameter[0]]: made.expression } }]];
  });
  return links.length > 0 ? { links: Object.fromEntries(links) } : {};
}

function patternsOf(route: Route): unknown[] {
  return Object.values(pathSchemas(route)).map(({ pattern }) => pattern);
}

function idOf({ response }: Route): { pattern: string; expression: string } | undefined {
  for (const place of places) {
    let node = asNode(response.schema);
    for (const name of [...place, 'id']) {
      // Every branch of a union has an id of the same kind.
      const [branch = node] = asNodes(node?.anyOf);
      node = asNode(asNode(branch?.properties)?.[name]);
    }
    if (typeof node?.pattern !== 'string') continue;
    return { pattern: node.pattern, expression: `$response.body#/${[...place, 'id'].join('/')}` };
  }
  return undefined;
}
