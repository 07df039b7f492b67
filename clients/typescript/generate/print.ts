import { type Document, nameIn } from './document.ts';
import { camel, pascal, wordsOf } from './naming.ts';
import type { Method, Resource } from './resources.ts';

const head = '// Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.\n';
const columns = 120;
/** Names that clash with a global of TypeScript. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorEnvelope' };

/** Prints a type for each schema of the document, and the union of the webhooks. */
export function printModels({ components, webhooks }: Document): string {
  const models = Object.keys(components.schemas).map(
    (name) => `export type ${renamed[name] ?? name} = Schemas['${name}'];`,
  );
  const events = Object.values(webhooks).map(({ post }) => {
    const { schema } = post.requestBody?.content['application/json'] ?? {};
    if (schema?.$ref === undefined) throw new Error(`the body of ${post.operationId} has no name`);
    return `  | Schemas['${nameIn(schema.$ref)}']`;
  });
  return [
    head,
    "import type { components } from './schema.ts';\n",
    "type Schemas = components['schemas'];\n",
    ...models,
    '\n/** What is posted to a webhook endpoint, by `event_type`. More types may follow: ignore unknown ones. */',
    'export type WebhookEvent =',
    `${events.join('\n')};`,
    '',
  ].join('\n');
}

/** Prints a class for each resource, and the class that has them all. */
export function printResources({ info }: Document, resources: Resource[]): string {
  const members = resources.map(({ words, description }) =>
    [comment([description], '  '), `  readonly ${camel(words)}: ${pascal(words)};`].join('\n'),
  );
  const made = resources.map(({ words }) => `    this.${camel(words)} = new ${pascal(words)}(request);`);
  const classes = resources.map(printResource);
  return [
    head,
    ...imports(classes.join('\n')),
    "import type { Requester } from '../transport.ts';",
    "import type * as models from './models.ts';\n",
    '/** The version of the API that this file was generated for. */',
    `export const apiVersion = '${info.version}';\n`,
    ...classes,
    '/** Every operation of the API. */',
    'export class Resources {',
    members.join('\n'),
    '\n  constructor(request: Requester) {',
    ...made,
    '  }',
    '}',
    '',
  ].join('\n');
}

/** Imports only the helpers that the code uses. */
function imports(code: string): string[] {
  const used = (names: string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const helpers = used(['ResponseOf', 'BodyOf', 'QueryOf']).map((name) => `type ${name}`);
  return [
    "import type { Listing } from '../listing.ts';",
    `import type { ${used(['RequestOptions', 'WaitOptions', 'WriteOptions']).join(', ')} } from '../options.ts';`,
    `import { ${[...helpers, 'path', 'Resource'].join(', ')} } from '../resource.ts';`,
  ];
}

function printResource({ words, description, methods }: Resource): string {
  return [
    comment([description]),
    `export class ${pascal(words)} extends Resource {`,
    methods.map(printMethod).join('\n\n'),
    '}\n',
  ].join('\n');
}

function printMethod(method: Method): string {
  const { name, summary, description, httpMethod, path, body, query, paging, response, mediaType, options } = method;
  const ids = method.pathParameters.map((parameter) => camel(wordsOf(parameter)));
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(body === null ? [] : [`body${body.required ? '' : '?'}: ${body.type}`]),
    ...(query === null ? [] : [`query${query.required ? '' : '?'}: QueryOf<'${method.operationId}'>`]),
    `options?: ${options}`,
  ];
  const filled = ids.reduce((text, id, index) => text.replace(`{${method.pathParameters[index]}}`, `\${${id}}`), path);
  const stated = [
    `method: '${httpMethod}'`,
    `path: path\`${filled}\``,
    ...(body === null ? [] : ['body']),
    ...(query === null ? [] : ['query']),
    ...(mediaType === 'application/json' ? [] : [`accept: '${mediaType}'`]),
  ];
  const request = `{ ${stated.join(', ')} }`;
  const [type, call] =
    paging === null
      ? [`Promise<${response}>`, `this.send(${request}, options)`]
      : [
          `Listing<${response}, '${paging.items}'>`,
          `this.pagesOf(${request}, '${paging.items}', '${paging.cursor}', options)`,
        ];
  return [
    comment([summary, description, `\`${httpMethod} ${path}\``], '  '),
    signature(name, parameters, type),
    `    return ${call};`,
    '  }',
    ...(method.alias === null ? [] : printAlias(method.alias, name, parameters, type)),
  ].join('\n');
}

/** The same method, by the name of its path. */
function printAlias(alias: string, name: string, parameters: string[], type: string): string[] {
  const given = parameters.map((parameter) => parameter.replace(/\??:.*$/, '')).join(', ');
  return [
    '',
    comment([`The same as \`${name}\`, by the name of its path.`], '  '),
    signature(alias, parameters, type),
    `    return this.${name}(${given});`,
    '  }',
  ];
}

function signature(name: string, parameters: string[], type: string): string {
  const line = `  ${name}(${parameters.join(', ')}): ${type} {`;
  if (line.length <= columns) return line;
  return [`  ${name}(`, ...parameters.map((parameter) => `    ${parameter},`), `  ): ${type} {`].join('\n');
}

/** Prints these paragraphs as a comment, wrapped. */
function comment(paragraphs: string[], indent = ''): string {
  const text = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  const lines = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => wrap(line, columns - indent.length - 3));
  const [only = ''] = lines;
  if (lines.length === 1) return `${indent}/** ${only} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n');
}

function wrap(line: string, width: number): string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
