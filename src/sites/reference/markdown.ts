import { Marked } from 'marked';
import { Html, html } from '../../platform/html.ts';
import { highlighted } from './highlight.ts';

/** How links and pictures of a text are shown. Null: the text of the link alone. */
export interface LinkResolver {
  link(target: string): string | null;
  /** The address of a picture. */
  picture(target: string): string;
}

const externalOnly: LinkResolver = {
  link: (target) => (/^(https:|#|\/)/.test(target) ? target : null),
  picture: () => '',
};

/** Returns the anchor of a heading, as a page of a repository has it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Text in Markdown as HTML. HTML in it is shown as text. */
export function markdown(text: string, resolver: LinkResolver = externalOnly): Html {
  return new Html((resolver === externalOnly ? plain : renderer(resolver)).parse(text, { async: false }));
}

/** A line of Markdown as HTML, without a paragraph around it. */
export function inlineMarkdown(text: string): Html {
  return new Html(plain.parseInline(text, { async: false }));
}

const plain = renderer(externalOnly);

function renderer(resolver: LinkResolver): Marked {
  return new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const inner = new Html(this.parser.parseInline(tokens));
        return html`<h${depth} id="${anchorOf(text)}">${inner}</h${depth}>\n`.text;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = resolver.link(href);
        return target === null ? inner : html`<a href="${target}">${new Html(inner)}</a>`.text;
      },
      image: ({ href, text }) => html`<img src="${resolver.picture(href)}" alt="${text}">`.text,
      code: ({ text, lang = '' }) => codeBlock(text, lang.split(' ')[0]).text,
      table(token) {
        const cells = (row: typeof token.header) => row.map(({ tokens }) => new Html(this.parser.parseInline(tokens)));
        const [first, ...rest] = token.rows.map(cells);
        const rows = first === undefined ? [] : [first, ...rest];
        const head = cells(token.header);
        const isNamed = head.some(({ text }) => text !== '');
        return html`<div class="table" tabindex="0"><table>
${isNamed ? html`<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>\n` : null}<tbody>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>\n`.text;
      },
      checkbox: () => '☐ ',
      html: ({ text }) => html`${text}`.text,
    },
  });
}

/** A block of code that can be scrolled by keyboard, with the colours of its language. */
export function codeBlock(code: string, language = 'json'): Html {
  return html`<pre tabindex="0"><code>${highlighted(code, language)}</code></pre>\n`;
}
