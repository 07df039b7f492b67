// The parts of an OpenAPI document that the generator reads.

export interface Document {
  info: { version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    [kind: string]: Record<string, unknown>;
  };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  /** `x-cursor` of a list's `starting_after`: the member of an item that it takes, if not the id. */
  schema?: Schema & { 'x-cursor'?: string };
}

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

type Content = Record<string, { schema: Schema }>;

/** Returns the name in a reference: its last segment. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Resolves a schema that may be a reference. */
export function resolved({ components }: Document, schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : components.schemas[nameIn(schema.$ref)];
}

/** Resolves a parameter that may be a reference. */
export function resolvedParameter({ components }: Document, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[nameIn(parameter.$ref)];
  if (found === undefined) throw new Error(`the document has no ${parameter.$ref}`);
  return found;
}
