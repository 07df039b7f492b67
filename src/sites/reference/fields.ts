import { asNode, asNodes, describeSchema, type SchemaNode } from '../../api/validation/describe-schema.ts';
import { type Html, html } from '../../platform/html.ts';
import { inlineMarkdown, markdown } from './markdown.ts';

/** Deeper members are left out: the schemas refer to each other. */
const deepest = 6;

export type Schemas = Readonly<Record<string, SchemaNode>>;

/** Returns the name of the schema that a reference leads to. */
export function nameIn(node: SchemaNode | undefined): string | null {
  return typeof node?.$ref === 'string' ? (node.$ref.split('/').at(-1) ?? null) : null;
}

/** Follows a reference, and keeps what is written next to it. */
export function resolved(node: SchemaNode, schemas: Schemas): SchemaNode {
  const name = nameIn(node);
  if (name === null) return node;
  const { $ref: _, ...siblings } = node;
  return { ...schemas[name], ...siblings };
}

/** In a request, required members are marked; in a response, optional ones. */
export type Use = 'request' | 'response';

/** The members of an object's schema as a list, each with its type and description, and its own members. */
export function fieldList(given: SchemaNode, schemas: Schemas, use: Use, depth = 0): Html | null {
  const node = resolved(given, schemas);
  const branches = asNodes(node.oneOf ?? node.anyOf).filter(({ type }) => type !== 'null');
  if (branches.length === 1) return fieldList(branches[0] ?? {}, schemas, use, depth);
  if (branches.length > 1) return alternatives(branches, schemas, use, depth);
  if (node.type === 'array') return fieldList(asNode(node.items) ?? {}, schemas, use, depth);
  const members = Object.entries(asNode(node.properties) ?? {});
  if (members.length === 0 || depth > deepest) return null;
  const required: readonly unknown[] = Array.isArray(node.required) ? node.required : [];
  const fields = members.map(([name, member]) => {
    const isRequired = required.includes(name);
    const mark = use === 'request' ? isRequired && 'required' : !isRequired && 'may be missing';
    return field({ name, node: asNode(member) ?? {}, mark: mark || null, use, depth }, schemas);
  });
  return html`<ul class="fields">\n${fields}</ul>\n`;
}

function alternatives(branches: readonly SchemaNode[], schemas: Schemas, use: Use, depth: number): Html | null {
  const shown = branches.flatMap((branch) => {
    const list = fieldList(branch, schemas, use, depth + 1);
    return list === null ? [] : [html`<details><summary>${titleOf(branch, schemas)}</summary>${list}</details>\n`];
  });
  return shown.length === 0 ? null : html`<p class="faint">One of these:</p>\n${shown}`;
}

/** Names a branch by the constants that distinguish it, or else by its schema. */
function titleOf(branch: SchemaNode, schemas: Schemas): string {
  const members = Object.entries(asNode(resolved(branch, schemas).properties) ?? {});
  const constants = members.flatMap(([name, member]) => {
    const { const: value } = resolved(asNode(member) ?? {}, schemas);
    return typeof value === 'string' ? [`${name} ${value}`] : [];
  });
  return constants[0] ?? nameIn(branch) ?? describeSchema(branch);
}

interface Field {
  name: string;
  node: SchemaNode;
  mark: string | null;
  use: Use;
  depth: number;
}

function field({ name, node: given, mark, use, depth }: Field, schemas: Schemas): Html {
  const node = resolved(given, schemas);
  const nested = fieldList(node, schemas, use, depth + 1);
  const about = [
    typeof node.description === 'string' ? markdown(node.description) : null,
    nested === null ? null : html`<details><summary>Members of ${name}</summary>${nested}</details>`,
  ];
  return html`<li><code class="name">${name}</code> <span class="faint">${typeOf(node, schemas)}</span>${
    mark === null ? null : html` <span class="mark">${mark}</span>`
  }\n${about}</li>\n`;
}

/** What a value must be, such as "a string of at most 200 characters, or null". */
export function typeOf(given: SchemaNode, schemas: Schemas): Html {
  const node = resolved(given, schemas);
  const branches = asNodes(node.oneOf ?? node.anyOf);
  const others = branches.filter(({ type }) => type !== 'null').map((branch) => resolved(branch, schemas));
  const types = Array.isArray(node.type) ? node.type.filter((type) => type !== 'null') : [node.type];
  const values = Array.isArray(node.enum) ? { enum: node.enum.filter((value) => value !== null) } : {};
  const isNullable = others.length < branches.length || (Array.isArray(node.type) && node.type.includes('null'));
  const words =
    others.length > 0
      ? [...new Set(others.map(phrase))].join(' or ')
      : phrase({ ...node, type: types[0], ...values }) + itemsOf(node, schemas);
  return inlineMarkdown(`${words}${isNullable ? ', or null' : ''}${defaultOf(node)}`);
}

function phrase(node: SchemaNode): string {
  if (node.const !== undefined) return `\`${node.const}\``;
  if (Array.isArray(node.enum)) return `one of ${node.enum.map((value) => `\`${value}\``).join(', ')}`;
  // A pattern is for programs: the description has it in words.
  const { pattern, ...rest } = node;
  return describeSchema(pattern === '\\S' ? node : rest);
}

function itemsOf({ items }: SchemaNode, schemas: Schemas): string {
  const item = asNode(items);
  if (item === undefined) return '';
  const words = phrase(resolved(item, schemas));
  return words === 'an object' || words === 'another value' ? '' : `, each ${words}`;
}

function defaultOf(node: SchemaNode): string {
  return node.default === undefined ? '' : `; by default \`${JSON.stringify(node.default).replaceAll('"', '')}\``;
}
