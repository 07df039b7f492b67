import { asNode, asNodes, choicesOf, type SchemaNode } from '../validation/describe-schema.ts';
import { resourceExamples } from './examples.ts';
import { nameOf } from './schemas.ts';

/** Builds an example value of the schema. Named schemas use their own example, if they have one. */
export function exampleOf(given: object): unknown {
  const schema = asNode(given) ?? {};
  const named = resourceExamples[nameOf(schema) ?? ''];
  if (named !== undefined) return named;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  const [branch] = asNodes(schema.anyOf);
  if (branch !== undefined) return exampleOf(branch);
  switch (schema.type) {
    case 'object':
      return membersOf(schema);
    case 'array':
      return [exampleOf(asNode(schema.items) ?? {})];
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      // For `has_more`: an example page has one item and no next page.
      return false;
    default:
      return {};
  }
}

function membersOf(schema: SchemaNode): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(asNode(schema.properties) ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'success' ? true : exampleOf(asNode(member) ?? {})]),
  );
}

function text({ format, minLength }: SchemaNode): string {
  if (format === 'date-time') return '2027-01-11T00:00:00.000Z';
  if (format === 'date') return '2027-01-11';
  if (format === 'email') return 'jo@example.com';
  return 'text'.padEnd(typeof minLength === 'number' ? minLength : 0, 'x');
}
