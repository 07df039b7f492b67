import { asNode, asNodes, type SchemaNode } from '../validation/describe-schema.ts';

/** The schemas of a document. Named schemas are defined once, under `components`, and referenced. */
export interface SchemaBook {
  /** Returns the schema in OpenAPI 3.1, or a reference to it if its title is a name. */
  refer(schema: object): SchemaNode;
  /** Returns all schemas referenced so far, by name. */
  components(): Record<string, SchemaNode>;
}

/** Patterns that match every member name. */
const anyName = new Set(['^[^]*$', '^.*$']);

/**
 * Creates an empty schema book. It converts three habits of TypeBox's JSON Schema: enums without a type, nullable
 * values as a union with null, and member names as patterns.
 * @throws Error if two different schemas have the same name.
 */
export function schemaBook(): SchemaBook {
  const sources = new Map<string, string>();
  const named = new Map<string, SchemaNode>();

  function refer(given: object): SchemaNode {
    const schema = asNode(given) ?? {};
    const name = nameOf(schema);
    if (name === undefined) return convert(schema);
    // Places with the same values share a named enum. What differs is said where it is referred to.
    const { description, default: fallback, ...values } = schema;
    return Array.isArray(schema.enum)
      ? { ...define(name, values), ...defined({ description, default: fallback }) }
      : define(name, schema);
  }

  function define(name: string, schema: SchemaNode): SchemaNode {
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

  /** OpenAPI distinguishes the branches by name, so each branch must have a name. */
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

/** Returns a schema's name: its title, if that is one capitalised word. Other titles are for error messages. */
function nameOf(schema: SchemaNode): string | undefined {
  return typeof schema.title === 'string' && /^[A-Z]\w*$/.test(schema.title) ? schema.title : undefined;
}

function orNull(schema: SchemaNode): SchemaNode {
  const { type, enum: values, $ref, ...rest } = schema;
  if ($ref !== undefined) return { ...rest, anyOf: [{ $ref }, { type: 'null' }] };
  if (typeof type !== 'string' || 'const' in schema || 'oneOf' in schema) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** Leaves out the members that are undefined. */
function defined(node: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}

/** A union's own description overrides that of its branch. */
function described({ description }: SchemaNode): SchemaNode {
  return description === undefined ? {} : { description };
}
