import { type Html, html } from '../../platform/html.ts';
import { inlineMarkdown } from './markdown.ts';

/** Something that can be found: an operation, an event, a part of a guide, a code, a field. */
export interface Entry {
  /** A line of Markdown. */
  title: string;
  /** Where it is, such as `Payment plans`. */
  place: string;
  path: string;
  /** More words, such as names of fields. */
  words: string;
}

const mostResults = 30;

/** Returns the entries that have all words of the query, those with them in their titles first. At most 30. */
export function search(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = entries.flatMap((entry) => {
    const title = entry.title.replaceAll('`', '').toLowerCase();
    const all = `${title} ${entry.place} ${entry.words}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const inTitle = words.filter((word) => title.includes(word)).length;
    return [{ entry, score: inTitle * 2 + (title.startsWith(words[0] ?? '') ? 1 : 0) }];
  });
  const best = scored.sort((one, other) => other.score - one.score);
  return best.slice(0, mostResults).map(({ entry }) => entry);
}

/** The page of the results. The script of all pages takes the list from it while you type. */
export function resultsPage(found: readonly Entry[], query: string): Html {
  const items = found.map(
    ({ path, title, place }) =>
      html`<li><a href="${path}">${inlineMarkdown(title)}</a> <span class="faint">${inlineMarkdown(place)}</span></li>\n`,
  );
  return html`<h1>Search</h1>
${found.length === 0 ? html`<p id="results">${query.trim() === '' ? 'Enter a search term.' : html`No page contains all words of “${query}”.`}</p>` : html`<ul id="results" class="results">\n${items}</ul>`}`;
}
