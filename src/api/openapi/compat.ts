import { webhookEvents } from '../../resources/webhook-endpoint.ts';
import { asNode, type SchemaNode } from '../validation/describe-schema.ts';
import type { OpenApiDocument } from './document.ts';

/** What has values of the API, or lists of names, and no schemas. */
const withoutSchemas: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'required']);
const json = 'application/json';

/**
 * Returns the same document without what openapi-generator reads wrongly. It has every operation, and every member of a
 * schema with its type, its values and whether it is required.
 * - It has no `webhooks`, which would become requests to the service. The schemas of the events stay.
 * - A constant that is true or false is a boolean: classes in Java compare it with a text.
 * - If an operation has two success responses, both may have either body: the generator reads the first one alone.
 */
export function compatDocument({ webhooks: _, paths, tags, ...rest }: OpenApiDocument): SchemaNode {
  return {
    ...converted(rest),
    tags: Array.isArray(tags) ? tags.filter((tag) => tag !== webhookEvents) : [],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, converted(withOneSuccess(one))])),
      ]),
    ),
  };
}

function converted(node: SchemaNode): SchemaNode {
  const members = Object.entries(node).filter(([name, value]) => name !== 'const' || typeof value !== 'boolean');
  return Object.fromEntries(
    members.map(([name, value]) => [name, withoutSchemas.has(name) ? value : convertedMember(name, value)]),
  );
}

/** The members of `properties` are schemas, whatever their names are. */
function convertedMember(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => convertedMember('', item));
  const node = asNode(value);
  if (node === undefined) return value;
  if (name !== 'properties') return converted(node);
  return Object.fromEntries(Object.entries(node).map(([member, schema]) => [member, convertedMember('', schema)]));
}

function withOneSuccess(operation: SchemaNode): SchemaNode {
  const responses = Object.entries(asNode(operation.responses) ?? {});
  const bodies = responses.flatMap(([status, response]) => (isSuccess(status) ? [bodyOf(response)] : []));
  if (bodies.length < 2) return operation;
  return {
    ...operation,
    responses: Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        isSuccess(status) ? withBody(response, { oneOf: bodies }) : response,
      ]),
    ),
  };
}

const isSuccess = (status: string) => status.startsWith('2');

function contentOf(response: unknown): SchemaNode | undefined {
  return asNode(asNode(asNode(response)?.content)?.[json]);
}

function bodyOf(response: unknown): unknown {
  return contentOf(response)?.schema;
}

function withBody(response: unknown, schema: SchemaNode): SchemaNode {
  return { ...asNode(response), content: { [json]: { ...contentOf(response), schema } } };
}
