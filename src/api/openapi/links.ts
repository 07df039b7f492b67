import type { Route } from '../http/route.ts';
import { asNode, asNodes, type SchemaNode } from '../validation/describe-schema.ts';
import { pathSchemas } from './parameters.ts';

/** Where a response holds the id of its object: at the top level, or in the object inside an envelope. */
const places = [[], ['payment_method']];

/**
 * Returns the `links` of a route's response: the operations that take the created object's id as their path parameter.
 * A route that returns the object named in its own path has none.
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
      // All branches of a union have the same kind of id.
      const [branch = node] = asNodes(node?.anyOf);
      node = asNode(asNode(branch?.properties)?.[name]);
    }
    if (typeof node?.pattern !== 'string') continue;
    return { pattern: node.pattern, expression: `$response.body#/${[...place, 'id'].join('/')}` };
  }
  return undefined;
}
