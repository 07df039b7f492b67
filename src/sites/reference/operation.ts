import type { OpenApiDocument } from '../../api/openapi/document.ts';
import { asNode, asNodes, type SchemaNode } from '../../api/validation/describe-schema.ts';
import { exampleId, kindOf } from '../../domain/ids.ts';
import { type Html, html } from '../../platform/html.ts';
import { clientMethodOf } from './client-names.ts';
import { fieldList, nameIn, resolved, typeOf } from './fields.ts';
import { goValue } from './go-values.ts';
import { codeBlock, inlineMarkdown, markdown } from './markdown.ts';
import { languages, type SampleRequest, samplesOf } from './samples.ts';
import { tryForm } from './try-it.ts';

/** An operation of the document, with its place. */
export interface Operation {
  id: string;
  httpMethod: string;
  path: string;
  tag: string;
  summary: string;
  node: SchemaNode;
}

/** Returns all operations of the document, in its order. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, node]) => ({
      id: String(node.operationId),
      httpMethod: method.toUpperCase(),
      path,
      tag: Array.isArray(node.tags) ? String(node.tags[0]) : '',
      summary: String(node.summary),
      node,
    })),
  );
}

/** The section of an operation on its page. */
export function operationSection(operation: Operation, document: OpenApiDocument): Html {
  const { id, tag, httpMethod, path, summary, node } = operation;
  const { schemas = {} } = document.components;
  const parameters = parametersOf(node, document);
  const body = contentOf(asNode(node.requestBody));
  const success = successOf(node);
  const sample = sampleRequestOf(operation, document);
  // The reader has the reference and the document already.
  const form = tag === 'Reference' ? null : tryForm({ httpMethod, path, parameters, sample });
  return html`<section class="operation" id="${id}">
<div class="about">
<h2><a href="#${id}">${inlineMarkdown(summary)}</a></h2>
<p class="route"><span class="method">${httpMethod}</span> <code>${path}</code></p>
${markdown(String(node.description ?? ''))}
${['path', 'query'].map((place) => parameterList(place, parameters, document))}
${body === null ? null : html`<h3>Body</h3>\n${fieldList(body.schema, schemas, 'request') ?? html`<p class="faint">${typeOf(body.schema, schemas)}</p>`}`}
${parameterList('header', parameters, document)}
<h3>Response ${success.status}</h3>
<p>${inlineMarkdown(success.description)}${nameIn(success.schema) === null ? null : html` Its body is a <code>${nameIn(success.schema)}</code>.`}</p>
${responseFields(success.schema, document)}
${errorList(node, document)}
</div>
<div class="code">
${samples(id, sample)}
${form}
${examplesOf(body)}
${success.example === undefined ? null : html`<h3 class="label">Response</h3>\n${codeBlock(JSON.stringify(success.example, null, 2))}`}
</div>
</section>
`;
}

interface Content {
  schema: SchemaNode;
  example: unknown;
  examples: Readonly<Record<string, { summary?: string; value: unknown }>>;
}

function contentOf(node: SchemaNode | undefined): Content | null {
  const [content] = Object.values(asNode(node?.content) ?? {}).map(asNode);
  if (content === undefined) return null;
  const examples = asNode(content.examples) ?? {};
  return {
    schema: asNode(content.schema) ?? {},
    example: content.example,
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, example]) => {
        const { summary, value } = asNode(example) ?? {};
        return [name, { ...(typeof summary === 'string' ? { summary } : {}), value }];
      }),
    ),
  };
}

function successOf(node: SchemaNode) {
  const [[status, response] = ['200', {}]] = Object.entries(asNode(node.responses) ?? {});
  const { description } = asNode(response) ?? {};
  const content = contentOf(asNode(response));
  return {
    status,
    description: String(description ?? ''),
    schema: content?.schema ?? {},
    example: content?.example,
  };
}

function responseFields(schema: SchemaNode, { components: { schemas = {} } }: OpenApiDocument): Html | null {
  const list = fieldList(schema, schemas, 'response');
  return list === null ? null : html`<details><summary>Members of the response</summary>${list}</details>`;
}

function parametersOf(node: SchemaNode, { components }: OpenApiDocument): SchemaNode[] {
  return asNodes(node.parameters).map((one) => {
    const name = nameIn(one);
    return name === null ? one : (components.parameters?.[name] ?? {});
  });
}

const places: Readonly<Record<string, string>> = { path: 'Path', query: 'Query', header: 'Headers' };

function parameterList(place: string, all: readonly SchemaNode[], { components }: OpenApiDocument): Html | null {
  const found = all.filter((parameter) => parameter.in === place);
  if (found.length === 0) return null;
  const { schemas = {} } = components;
  const items = found.map(({ name, required, description, schema }) => {
    const type = typeOf(asNode(schema) ?? {}, schemas);
    return html`<li><code class="name">${String(name)}</code> <span class="faint">${type}</span>${
      required === true ? html` <span class="mark">required</span>` : null
    }
${description === undefined ? null : markdown(String(description))}</li>
`;
  });
  return html`<h3>${places[place] ?? place}</h3>\n<ul class="fields">${items}</ul>\n`;
}

function errorList(node: SchemaNode, { components }: OpenApiDocument): Html {
  const errors = Object.entries(asNode(node.responses) ?? {}).filter(([status]) => status >= '400');
  const rows = errors.map(([status, given]) => {
    const one = asNode(given) ?? {};
    const response = { ...components.responses?.[nameIn(one) ?? ''], ...one };
    return html`<tr><th scope="row">${status}</th><td>${inlineMarkdown(String(response.description ?? ''))}</td></tr>\n`;
  });
  return html`<details><summary>Errors</summary><table><tbody>${rows}</tbody></table>
<p><a href="/docs/guides/06-errors">All codes, and what to do</a></p></details>`;
}

/** What the samples of an operation send: the first example of its body, and ids as in the examples. */
export function sampleRequestOf(operation: Operation, document: OpenApiDocument): SampleRequest {
  const { id, httpMethod, path, tag, node } = operation;
  const { schemas = {} } = document.components;
  const ids: string[] = [];
  const filled = path.replace(/(\w+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
    const kind = kindOf(collection);
    ids.push(kind === undefined ? name : exampleId(kind));
    return `${collection}/${ids.at(-1)}`;
  });
  const query = parametersOf(node, document).filter((one) => one.in === 'query');
  const required = query.filter((one) => one.required === true);
  const body = contentOf(asNode(node.requestBody));
  const [example] = Object.values(body?.examples ?? {});
  const { schema } = successOf(node);
  const name = nameIn(schema);
  const members = asNode(resolved(schema, schemas).properties) ?? {};
  return {
    ...clientMethodOf({ operationId: id, tag, path }, Object.keys(document.paths)),
    ...{ httpMethod, path: filled, ids },
    query: Object.fromEntries(required.map((one) => [String(one.name), sampleValue(one, schemas)])),
    body: body === null ? undefined : example?.value,
    goBody: body === null ? null : goValue(example?.value, body.schema, document),
    result: name,
    takesQuery: query.length > 0,
    isPaged: 'has_more' in members && query.some((one) => one.name === 'starting_after'),
    isPublic: Array.isArray(node.security) && node.security.length === 0,
  };
}

function sampleValue({ example, schema }: SchemaNode, schemas: Readonly<Record<string, SchemaNode>>): string | number {
  const whole = resolved(asNode(schema) ?? {}, schemas);
  const [branch = whole] = Array.isArray(whole.anyOf) ? whole.anyOf : [];
  const { const: only, enum: values, default: usual, format } = resolved(asNode(branch) ?? {}, schemas);
  const value = example ?? usual ?? only ?? (Array.isArray(values) ? values[0] : format === 'date' && '2027-01-11');
  return typeof value === 'number' ? value : String(value ?? '');
}

function samples(id: string, sample: SampleRequest): Html {
  const texts = samplesOf(sample);
  return html`<div class="samples">
${languages.map(
  (language, index) => html`<details name="${id}-sample" data-language="${language}"${index === 0 ? html` open` : null}>
<summary>${language}</summary>${codeBlock(texts[language], language)}</details>
`,
)}</div>`;
}

/** The other bodies that the document shows. The samples send the first one. */
function examplesOf(body: Content | null): Html | null {
  const [, ...others] = Object.values(body?.examples ?? {});
  if (others.length === 0) return null;
  return html`${others.map(
    ({ summary, value }) =>
      html`<details class="example"><summary>${inlineMarkdown(summary ?? 'Another body')}</summary>${codeBlock(JSON.stringify(value, null, 2))}</details>\n`,
  )}`;
}
