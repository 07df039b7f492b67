// An OpenAPI document as far as the generator reads it.

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
  /** `x-cursor` of a list's `starting_after`: the member of an item whose value it takes, where that is not the id. */
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

/** The name of what a reference names: its last segment. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The schema itself, where it is given by reference. */
export function resolved({ components }: Document, schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : components.schemas[nameIn(schema.$ref)];
}

/** A parameter itself, where it is given by reference. */
export function resolvedParameter({ components }: Document, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[nameIn(parameter.$ref)];
  if (found === undefined) throw new Error(`the document has no ${parameter.$ref}`);
  return found;
}
