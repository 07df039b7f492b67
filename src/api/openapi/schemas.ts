import { asNode, asNodes, type SchemaNode } from '../http/describe-schema.ts';

/** The schemas of a document: those with a name are said once, under `components`, and referred to. */
export interface SchemaBook {
  /** The schema as OpenAPI 3.1 says it, or the reference to it when its title is a name. */
  refer(schema: object): SchemaNode;
  /** What has been referred to so far, by name. */
  components(): Record<string, SchemaNode>;
}

/** Patterns of member names that say nothing: they match every name. */
const anyName = new Set(['^[^]*$', '^.*$']);

/**
 * An empty book. It takes TypeBox schemas, which are JSON Schema with three habits of their own: enums without a type, a
 * union with null for what may be null, and member names as patterns.
 * @throws Error when two different schemas have the same name.
 */
export function schemaBook(): SchemaBook {
  const sources = new Map<string, string>();
  const named = new Map<string, SchemaNode>();

  function refer(given: object): SchemaNode {
    const schema = asNode(given) ?? {};
    const name = nameOf(schema);
    if (name === undefined) return convert(schema);
    const source = JSON.stringify(schema);
    const known = sources.get(name);
    if (known === undefined) {
      sources.set(name, source);
      named.set(name, convert(schema));
    } else if (known !== source) {
      throw new Error(`two different schemas are called ${name}`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function convert(schema: SchemaNode): SchemaNode {
    const { title: _, properties, items, anyOf, discriminator, patternProperties, propertyNames, ...rest } = schema;
    if (anyOf !== undefined) return { ...rest, ...union(asNodes(anyOf), asNode(discriminator)), ...described(rest) };
    return {
      ...rest,
      ...(rest.type === undefined && Array.isArray(rest.enum) ? { type: typeof rest.enum[0] } : {}),
      ...(asNode(properties) ? { properties: eachOf(properties) } : {}),
      ...(asNode(items) ? { items: refer(asNode(items) ?? {}) } : {}),
      ...(asNode(propertyNames) ? { propertyNames } : {}),
      ...(asNode(patternProperties) ? membersOf(patternProperties) : {}),
    };
  }

  function union(branches: SchemaNode[], discriminator: SchemaNode | undefined): SchemaNode {
    if (discriminator !== undefined) return discriminated(branches, String(discriminator.propertyName));
    const others = branches.filter((branch) => branch.type !== 'null');
    const [only] = others;
    if (only === undefined || others.length !== 1) return { anyOf: branches.map(refer) };
    return others.length < branches.length ? orNull(refer(only)) : refer(only);
  }

  /** OpenAPI tells the branches apart by name, so each must have one. */
  function discriminated(branches: SchemaNode[], propertyName: string): SchemaNode {
    const mapping: Record<string, unknown> = {};
    const oneOf = branches.map((branch) => {
      const reference = refer(branch);
      const tag = asNode(asNode(branch.properties)?.[propertyName])?.const;
      if (reference.$ref === undefined || typeof tag !== 'string') {
        throw new Error(`a branch of the union by ${propertyName} has no title, or no literal ${propertyName}`);
      }
      mapping[tag] = reference.$ref;
      return reference;
    });
    return { type: 'object', oneOf, discriminator: { propertyName, mapping } };
  }

  function membersOf(patterns: unknown): SchemaNode {
    const entries = Object.entries(eachOf(patterns));
    const [first] = entries;
    if (first === undefined || entries.length > 1 || !anyName.has(first[0]))
      return { patternProperties: eachOf(patterns) };
    const isFree = Object.keys(first[1]).length === 0;
    return { additionalProperties: isFree ? true : first[1] };
  }

  function eachOf(schemas: unknown): Record<string, SchemaNode> {
    return Object.fromEntries(
      Object.entries(asNode(schemas) ?? {}).map(([key, schema]) => [key, refer(asNode(schema) ?? {})]),
    );
  }

  return {
    refer,
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The name of a schema: its title, where that is one word with a capital letter. Other titles are for error messages. */
export function nameOf(schema: SchemaNode): string | undefined {
  return typeof schema.title === 'string' && /^[A-Z]\w*$/.test(schema.title) ? schema.title : undefined;
}

function orNull(schema: SchemaNode): SchemaNode {
  const { type, enum: values } = schema;
  if (typeof type !== 'string' || 'const' in schema || 'oneOf' in schema) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** What is said of a union as a whole goes before what is said of its branch. */
function described({ description }: SchemaNode): SchemaNode {
  return description === undefined ? {} : { description };
}
