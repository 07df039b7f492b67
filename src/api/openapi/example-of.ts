import { ownExample } from '../../resources/examples.ts';
import { asNode, asNodes, choicesOf, type SchemaNode } from '../validation/describe-schema.ts';

/**
 * Returns the example of a schema: its own one, or one that is built from the examples of its parts, such as a page of
 * one object.
 * @throws Error if that leaves a value open: the schema then needs an example of its own.
 */
export function exampleOf(given: object): unknown {
  const schema = asNode(given) ?? {};
  const own = ownExample(given);
  if (own !== undefined) return own;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  const [branch] = asNodes(schema.anyOf);
  if (branch !== undefined) return exampleOf(branch);
  if (schema.type === 'object') return membersOf(schema);
  if (schema.type === 'array') return [exampleOf(asNode(schema.items) ?? {})];
  throw new Error(
    `this schema needs an example, see src/resources/examples.ts: ${JSON.stringify(given).slice(0, 200)}`,
  );
}

/** An envelope reports success, and an example page has no next page. */
const flags: Readonly<Record<string, boolean>> = { success: true, has_more: false };

function membersOf(schema: SchemaNode): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(asNode(schema.properties) ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, flags[name] ?? exampleOf(asNode(member) ?? {})]));
}
