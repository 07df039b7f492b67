import type { OpenApiDocument } from '../../api/openapi/document.ts';
import { codeTables, introductionText } from '../../api/openapi/info.ts';
import { asNode, asNodes, type SchemaNode } from '../../api/validation/describe-schema.ts';
import { type Html, html } from '../../platform/html.ts';
import { fieldList, resolved } from './fields.ts';
import { type Guide, readGuides } from './guides.ts';
import type { Page } from './layout.ts';
import { anchorOf, codeBlock, inlineMarkdown, markdown } from './markdown.ts';
import { once } from './once.ts';
import { type Operation, operationSection, operationsOf } from './operation.ts';
import type { Entry } from './search.ts';
import { keyDialog } from './try-it.ts';

/** Everything that `/docs` has. */
export interface Reference {
  pages: Page[];
  entries: Entry[];
}

/** Writes all pages of the reference: operations by resource, webhooks, basics, codes, and the guides. */
export function referenceOf(document: OpenApiDocument): Reference {
  const operations = operationsOf(document);
  const tags = asNodes(document.tags)
    .map(({ name, description }) => ({ name: String(name), description: String(description) }))
    .filter(({ name }) => operations.some(({ tag }) => tag === name));
  const guides = readGuides();
  const resources = tags.map((tag) => resourcePage(tag, operations, document));
  const events = eventsPage(document);
  const basics = textPage('Basics', '/docs/basics', introductionText);
  const codes = textPage('Codes', '/docs/codes', codeTables.replace(/^### /gm, '## '));
  const home = homePage(tags, operations, guides);
  return {
    pages: [home, ...guides.map(guidePage), ...resources, events, basics, codes],
    entries: [
      ...operations.map((operation) => operationEntry(operation, document)),
      ...Object.keys(document.webhooks).map((type) => ({
        title: type,
        place: events.title,
        path: `${events.path}#${type}`,
        words: String(asNode(document.webhooks[type]?.post)?.description ?? ''),
      })),
      ...guides.flatMap(guideEntries),
      ...[basics, codes].flatMap(({ title, path, parts }) =>
        parts.map((part) => ({ title: part.title, place: title, path: `${path}#${part.anchor}`, words: '' })),
      ),
      ...codeEntries(codes.path),
    ],
  };
}

const pathOf = (tag: string) => `/docs/${anchorOf(tag)}`;

function operationLink({ id, tag, httpMethod, path, summary }: Operation): Html {
  return html`<li><a href="${pathOf(tag)}#${id}">${inlineMarkdown(summary)}</a> <span class="faint"><span class="method">${httpMethod}</span> <code>${path}</code></span></li>\n`;
}

/** The page `/docs`: all operations first, then where the rest is. */
function homePage(
  tags: readonly { name: string; description: string }[],
  operations: readonly Operation[],
  guides: readonly Guide[],
): Page {
  const sections = tags.map(
    ({ name, description }) => html`<section>
<h2 id="${anchorOf(name)}"><a href="${pathOf(name)}">${name}</a></h2>
<p class="faint">${inlineMarkdown(description)}</p>
<ul class="operations">
${operations.filter(({ tag }) => tag === name).map(operationLink)}</ul>
</section>
`,
  );
  const main = once(
    () => html`<h1>API reference</h1>
<p>All operations by resource. <a href="${guides[1]?.path ?? '/docs/guides'}">Begin in five minutes</a>, read <a href="/docs/guides">the
guides</a> or <a href="/docs/basics">the basics</a> of keys, lists, errors and repeated requests, or take <a href="/openapi.json">the
OpenAPI document</a> (<a href="/openapi.compat.json">another one</a> for openapi-generator). <a href="/workbench">The
workbench</a> shows your test clocks and moves them.</p>
<div class="overview">${sections}</div>`,
  );
  return { path: '/docs', title: 'API reference', main, parts: [], group: null };
}

function resourcePage(
  tag: { name: string; description: string },
  all: readonly Operation[],
  document: OpenApiDocument,
): Page {
  const operations = all.filter((operation) => operation.tag === tag.name);
  const main = once(
    () => html`<h1>${tag.name}</h1>
${markdown(tag.description)}
<ul class="operations">
${operations.map(operationLink)}</ul>
${operations.map((operation) => operationSection(operation, document))}${keyDialog}`,
  );
  const parts = operations.map(({ id, summary }) => ({ title: summary, anchor: id }));
  return { path: pathOf(tag.name), title: tag.name, main, parts, group: 'Reference' };
}

function eventsPage({ webhooks, components: { schemas = {} } }: OpenApiDocument): Page {
  const sections = () =>
    Object.entries(webhooks).map(([type, item]) => {
      const { description, requestBody } = asNode(item.post) ?? {};
      const content = asNode(asNode(asNode(requestBody)?.content)?.['application/json']);
      const schema = resolved(asNode(content?.schema) ?? {}, schemas);
      const data: SchemaNode = asNode(asNode(schema.properties)?.data) ?? {};
      return html`<section class="operation" id="${type}">
<div class="about">
<h2><a href="#${type}"><code>${type}</code></a></h2>
${markdown(String(description))}
<details><summary>Members of data</summary>${fieldList(data, schemas, 'response')}</details>
</div>
<div class="code">
<details class="example"><summary>Example</summary>${codeBlock(JSON.stringify(content?.example, null, 2))}</details>
</div>
</section>
`;
    });
  const main = once(
    () => html`<h1>Event types</h1>
<p>What is posted to your webhook endpoints, and listed by <a href="/docs/events#listEvents">GET /events</a>. <a href="/docs/guides/04-webhooks">The
guide</a> shows how to receive and verify events.</p>
${sections()}`,
  );
  const parts = Object.keys(webhooks).map((type) => ({ title: type, anchor: type }));
  return { path: '/docs/event-types', title: 'Event types', main, parts, group: 'Reference' };
}

function textPage(title: string, path: string, text: string): Page {
  const parts = [...text.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => ({
    title: heading,
    anchor: anchorOf(heading),
  }));
  return {
    path,
    title,
    main: once(() => html`<div class="text"><h1>${title}</h1>\n${markdown(text)}</div>`),
    parts,
    group: 'Reference',
  };
}

function guidePage({ path, title, body, headings }: Guide): Page {
  const parts = headings.map((heading) => ({ title: heading, anchor: anchorOf(heading) }));
  return {
    path,
    title,
    main: once(() => html`<div class="text">${body()}</div>`),
    parts,
    group: 'Guides',
  };
}

function operationEntry({ id, tag, summary, path, httpMethod, node }: Operation, document: OpenApiDocument): Entry {
  const body = asNode(asNode(asNode(asNode(node.requestBody)?.content)?.['application/json'])?.schema) ?? {};
  const fields = Object.keys(asNode(resolved(body, document.components.schemas ?? {}).properties) ?? {});
  const parameters = asNodes(node.parameters).map((parameter) => String(parameter.name ?? ''));
  const words = [id, httpMethod, path, ...fields, ...parameters].join(' ');
  return { title: summary, place: tag, path: `${pathOf(tag)}#${id}`, words };
}

function guideEntries({ path, title, text }: Guide): Entry[] {
  const [first = '', ...sections] = text.split(/^## /m);
  return [
    { title, place: 'Guide', path, words: first },
    ...sections.map((section) => {
      const [heading = ''] = section.split('\n');
      return { title: heading, place: title, path: `${path}#${anchorOf(heading)}`, words: section };
    }),
  ];
}

function codeEntries(path: string): Entry[] {
  let anchor = '';
  return codeTables.split('\n').flatMap((line) => {
    anchor = /^### (.*)$/.exec(line)?.[1] ?? anchor;
    const [, code] = /^\| `(\w+)` \|/.exec(line) ?? [];
    return code === undefined ? [] : [{ title: code, place: anchor, path: `${path}#${anchorOf(anchor)}`, words: line }];
  });
}
