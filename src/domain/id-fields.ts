import { allKinds, idKinds } from './ids.ts';

/**
 * The field for each id prefix in logs and traces. The same name everywhere, so a search for one id finds all its
 * lines.
 */
const fields = new Map<string, string>(
  Object.values(idKinds).flatMap(({ prefix, logField }) => (logField === null ? [] : [[prefix, logField]])),
);

const prefixes = allKinds.map((kind) => idKinds[kind].prefix).join('|');
const idInText = new RegExp(`\\b(${prefixes})(?:sandbox_)?[0-9A-Za-z]{32}\\b`, 'g');
const wholeId = new RegExp(`^(?:${prefixes})(?:sandbox_)?[0-9A-Za-z]{32}$`);

/** Returns the id under its field, such as `{ payment_plan_id: 'pp_…' }`. Empty for null and for an unknown prefix. */
export function idFields(id: string | null): Record<string, string> {
  const field = id === null ? undefined : fields.get(id.slice(0, id.indexOf('_') + 1));
  return id === null || field === undefined ? {} : { [field]: id };
}

/** Returns the values that are whole ids, each under its field. A value that only contains an id is skipped. */
export function idFieldsOf(values: readonly string[]): Record<string, string> {
  return Object.assign({}, ...values.filter((value) => wholeId.test(value)).map(idFields));
}

/** Returns the ids in a text such as a path, each under its field. */
export function idFieldsIn(text: string): Record<string, string> {
  return Object.assign({}, ...[...text.matchAll(idInText)].map(([id]) => idFields(id)));
}
