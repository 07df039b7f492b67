import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Html } from '../../platform/html.ts';
import { type LinkResolver, markdown } from './markdown.ts';
import { once } from './once.ts';

const folder = new URL('../../../docs/api/', import.meta.url);
const introduction = 'README.md';
const guidesPath = '/docs/guides';

/** A guide of `docs/api`, as a page of the reference. */
export interface Guide {
  /** Such as `/docs/guides/01-first-charge`. The introduction is the index, `/docs/guides`. */
  path: string;
  title: string;
  body: () => Html;
  /** Its headings, with their anchors. */
  headings: readonly string[];
  /** Its text in Markdown. */
  text: string;
}

/**
 * Reads the guides, the introduction first. Links between guides lead to their pages. Links to other files are shown as
 * text. Pictures are part of the page.
 */
export function readGuides(): Guide[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== introduction);
  return [introduction, ...files.sort()].map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const lines = text.replace(/^```[\s\S]*?^```$/gm, '').split('\n');
    const headings = lines.flatMap((line) => (line.startsWith('## ') ? [line.slice(3)] : []));
    const [title = ''] = lines;
    return {
      path: pathOf(file),
      title: title.replace(/^# /, ''),
      body: once(() => markdown(text, resolver)),
      headings,
      text,
    };
  });
}

function pathOf(file: string): string {
  return file === introduction ? guidesPath : `${guidesPath}/${file.replace(/\.md$/, '')}`;
}

const resolver: LinkResolver = {
  link(target) {
    if (/^(https:|#)/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    if (!/^[\w-]+\.md$/.test(file)) return null;
    return `${pathOf(file)}${anchor === undefined ? '' : `#${anchor}`}`;
  },
  picture(target) {
    const file = new URL(target, folder);
    return existsSync(file) ? `data:image/png;base64,${readFileSync(file).toString('base64')}` : '';
  },
};
