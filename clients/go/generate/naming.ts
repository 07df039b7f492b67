import { plainTypeOf, type Type, wrapped } from '../../generate/models.ts';
import type { Schema } from '../../typescript/generate/document.ts';

export const head = '// Code generated from the OpenAPI document of the service by `npm run generate`. DO NOT EDIT.\n';
const columns = 100;
const initialisms: Readonly<Record<string, string>> = { id: 'ID', url: 'URL', ip: 'IP', html: 'HTML', api: 'API' };
/** Names that the package has for something else. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorEnvelope' };

/** Returns an exported name: `PaymentMethodID` for `payment_method_id`. */
export function exported(name: string): string {
  return name
    .split(/[\s._-]+/)
    .map((word) => initialisms[word] ?? word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** Returns the name of a variable: `paymentMethodID`. */
export function variable(name: string): string {
  const [first = '', ...rest] = name.split('_');
  const text = first + rest.map(exported).join('');
  return keywords.has(text) ? `${text}Value` : text;
}
const keywords = new Set(
  'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var'.split(
    ' ',
  ),
);

export function modelName(name: string): string {
  return renamed[name] ?? name;
}

/** Returns the type, without regard to null. */
export function bareType(type: Type): string {
  switch (type.kind) {
    case 'model':
      return modelName(type.name);
    case 'list':
      return `[]${typeName(type.of)}`;
    case 'map':
      return `map[string]${typeName(type.of)}`;
    case 'constant':
      return typeof type.value === 'boolean' ? 'bool' : 'string';
    case 'any':
      return 'any';
    default:
      return { string: 'string', 'date-time': 'time.Time', integer: 'int', number: 'float64', boolean: 'bool' }[
        type.kind
      ];
  }
}

/** Returns the type of a value that is there: a pointer if it may be null. */
export function typeName(type: Type): string {
  return type.nullable === true ? pointerTo(type) : bareType(type);
}

/** A list, a map and any value have a nil of their own. */
export function pointerTo(type: Type): string {
  const bare = bareType(type);
  return type.kind === 'list' || type.kind === 'map' || type.kind === 'any' ? bare : `*${bare}`;
}

export function schemaType(schema: Schema): string {
  return typeName(plainTypeOf(schema));
}

/** Prints paragraphs as a comment; nothing if there is no text. */
export function comment(paragraphs: string[], indent = ''): string[] {
  const text = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
  if (text === '') return [];
  return wrapped(text, columns - indent.length - 3).map((line) => `${indent}// ${line}`.trimEnd());
}

/** A line in columns, such as a field with its type and its tag, below its comment. */
export interface Row {
  comment?: string[];
  cells: string[];
}

/** Lays rows out as gofmt does: the columns of adjacent rows begin at the same place. A comment begins anew. */
export function aligned(rows: Row[], indent = '\t'): string[] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run === undefined || (row.comment ?? []).length > 0) runs.push([row]);
    else run.push(row);
  }
  return runs.flatMap((run) => {
    const widths = run[0]?.cells.map((_, column) => Math.max(...run.map(({ cells }) => cells[column]?.length ?? 0)));
    return run.flatMap(({ comment: above = [], cells }) => {
      const padded = cells.map((cell, column) => cell.padEnd(widths?.[column] ?? 0));
      return [...above, indent + padded.join(' ').trimEnd()];
    });
  });
}
