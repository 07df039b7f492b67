import type { OpenApiDocument } from '../../api/openapi/document.ts';
import { asNode, asNodes, type SchemaNode } from '../../api/validation/describe-schema.ts';
import { pascal, wordsOf } from './client-names.ts';
import { nameIn } from './fields.ts';

const columns = 72;
const months = 'January February March April May June July August September October November December'.split(' ');
const answered = new WeakMap<OpenApiDocument, ReadonlySet<string>>();

/**
 * Writes a value of a schema as the Go client takes it, laid out as gofmt does: `payments.CustomerCreate{Name: "Jo"}`.
 * The rules for types are those of `clients/go/generate/models.ts`; `test/docs/reference-samples.test.ts` compiles all
 * that is written.
 * @param name for an enum that has no name in the document
 */
export function goValue(value: unknown, given: SchemaNode, document: OpenApiDocument, indent = '', name = ''): string {
  const { schema, typeName } = resolvedType(given, document, name);
  if (Array.isArray(schema.enum)) return `payments.${typeName}${exported(String(value))}`;
  const { discriminator, properties } = schema;
  const mapping = asNode(asNode(discriminator)?.mapping);
  if (mapping !== undefined) {
    const property = String(asNode(discriminator)?.propertyName);
    const { [property]: branch, ...rest } = asNode(value) ?? {};
    const written = goValue(rest, { $ref: mapping[String(branch)] }, document, `${indent}\t`);
    return enclosed(`payments.${typeName}`, [['Value', written]], indent);
  }
  if (asNode(properties) !== undefined) {
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    const isInput = !answeredBy(document).has(typeName);
    const members = Object.entries(asNode(value) ?? {}).map(([member, one]): [string, string] => {
      const type = asNode(asNode(properties)?.[member]) ?? {};
      const owned = typeName + exported(member);
      if (one === null) return [exported(member), `payments.Null[${goType(type, document, owned)}]()`];
      const written = goValue(one, type, document, `${indent}\t`, owned);
      if (required.includes(member)) return [exported(member), written];
      return [exported(member), isInput ? `payments.Set(${written})` : pointerTo(written, type)];
    });
    return enclosed(`payments.${typeName}`, members, indent);
  }
  if (Array.isArray(value)) {
    const of = asNode(schema.items) ?? {};
    const type = goType(of, document, name);
    const written = value.map((one) => goValue(one, of, document, `${indent}\t`));
    // The items of a list do not repeat its type.
    const items = written.map((one) => (one.startsWith(`${type}{`) ? one.slice(type.length) : one));
    return enclosed(`[]${type}`, items, indent);
  }
  const members = asNode(value);
  if (members !== undefined) {
    const written = Object.entries(members).map(([key, one]): [string, string] => [text(key), text(one)]);
    return enclosed(goType(schema, document, name), written, indent);
  }
  return schema.format === 'date-time' ? instant(String(value)) : text(value);
}

/** Returns the name of a type, without regard to null. */
function goType(given: SchemaNode, document: OpenApiDocument, name: string): string {
  const { schema, typeName } = resolvedType(given, document, name);
  if (schema.enum !== undefined || schema.properties !== undefined || schema.discriminator !== undefined) {
    return `payments.${typeName}`;
  }
  const [type] = [schema.type ?? []].flat();
  if (type === 'object') return asNode(schema.additionalProperties) ? 'map[string]string' : 'map[string]any';
  if (type === 'string') return schema.format === 'date-time' ? 'time.Time' : 'string';
  return { integer: 'int', number: 'float64', boolean: 'bool' }[String(type)] ?? 'any';
}

/** Follows references, also that of a union with null. */
function resolvedType(
  given: SchemaNode,
  document: OpenApiDocument,
  name: string,
): { schema: SchemaNode; typeName: string } {
  const [branch = given] = asNodes(given.anyOf).filter(({ type }) => type !== 'null');
  const found = nameIn(branch);
  return found === null
    ? { schema: branch, typeName: name }
    : { schema: document.components.schemas?.[found] ?? {}, typeName: found };
}

/** The names of the schemas that responses have: their members that may be missing are pointers. */
function answeredBy(document: OpenApiDocument): ReadonlySet<string> {
  const known = answered.get(document);
  if (known !== undefined) return known;
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(document.components.schemas?.[name] ?? {});
    }
  };
  for (const operations of Object.values(document.paths)) {
    for (const { responses } of Object.values(operations)) visit(responses ?? {});
  }
  answered.set(document, found);
  return found;
}

function pointerTo(written: string, { type, items, properties }: SchemaNode): string {
  const isBare = items !== undefined || (type === 'object' && properties === undefined);
  return isBare ? written : `payments.Ptr(${written})`;
}

function instant(value: string): string {
  const [year, month, ...rest] = value.split(/\D/).slice(0, 6).map(Number);
  return `time.Date(${year}, time.${months[(month ?? 1) - 1]}, ${rest.join(', ')}, 0, time.UTC)`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const exported = (name: string) => pascal(name.split(/[\s._-]+/).flatMap((word) => keptCase(word)));

function keptCase(word: string): string[] {
  return word === word.toUpperCase() ? [word] : wordsOf(word);
}

/** On one line if it fits, else each part on its own. The values of adjacent short members begin at one place. */
function enclosed(type: string, parts: readonly (string | [string, string])[], indent: string): string {
  const written = parts.map((part) => (typeof part === 'string' ? part : `${part[0]}: ${part[1]}`));
  const line = `${type}{${written.join(', ')}}`;
  if (!line.includes('\n') && indent.length + line.length <= columns) return line;
  const lines = parts.map((part, index) => {
    if (typeof part === 'string') return part;
    const width = Math.max(...runAround(parts, index).map(([member]) => member.length));
    return `${`${part[0]}:`.padEnd(width + 1)} ${part[1]}`;
  });
  return `${type}{\n${lines.map((one) => `${indent}\t${one},\n`).join('')}${indent}}`;
}

/** The members around one, up to those that take several lines. */
function runAround(parts: readonly (string | [string, string])[], index: number): [string, string][] {
  const isLong = (part: string | [string, string] | undefined) =>
    part === undefined || part[1]?.includes('\n') === true;
  const own = parts[index];
  if (own === undefined || typeof own === 'string') return [];
  if (isLong(own)) return [own];
  const before = parts.slice(0, index).findLastIndex(isLong);
  const after = parts.findIndex((part, at) => at > index && isLong(part));
  return parts.slice(before + 1, after === -1 ? undefined : after).filter((part) => typeof part !== 'string');
}
