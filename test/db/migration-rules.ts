/** What a migration must not do while the former version serves, and what it does instead (docs/upgrades.md). */
export interface Finding {
  statement: string;
  rule: string;
}

interface Rule {
  rule: string;
  offends(action: string): boolean;
}

const outsideOfATransaction = '-- outside of a transaction';
/**
 * Before a statement of a migration that contracts: the reason why no version that still runs needs what it takes away.
 */
const contracts = /^--\s*contract:\s*\S/;

/**
 * Of one action on a table that was there before; each is a lock for long, or takes away what the former version uses.
 */
const tableRules: readonly Rule[] = [
  {
    rule: 'takes away what the former version uses',
    offends: (action) =>
      /^drop (table|view|materialized view|type|domain|schema|sequence|function)\b/.test(action) ||
      (/^drop (column )?(?!constraint|not null|default|index|trigger)/.test(action) &&
        !/^drop (table|index)/.test(action)) ||
      /\bdrop default\b/.test(action),
  },
  { rule: 'renames what the former version uses', offends: (action) => /\brename\b/.test(action) },
  { rule: 'rewrites the table', offends: (action) => /^alter (column )?\S+ (set data )?type\b/.test(action) },
  { rule: 'reads the whole table under a lock', offends: (action) => /\bset not null\b/.test(action) },
  {
    rule: 'adds a column that the former version does not fill',
    offends: (action) => isNewColumn(action) && /\bnot null\b/.test(action) && !/\bdefault\b/.test(action),
  },
  {
    rule: 'adds a column that is computed for every row',
    offends: (action) =>
      isNewColumn(action) &&
      /\b(generated always as|serial|bigserial|generated \w+( default)? as identity|random|gen_random_uuid|uuidv7|clock_timestamp|nextval)\b/.test(
        action,
      ),
  },
  {
    rule: 'adds a constraint that is checked at once',
    offends: (action) =>
      /^add (constraint \S+ )?(check|foreign key)\b/.test(action)
        ? !/\bnot valid$/.test(action)
        : /^add (constraint \S+ )?(unique|primary key|exclude)\b/.test(action)
          ? !/\busing index\b/.test(action)
          : isNewColumn(action) && /\b(references|unique|primary key|check)\b/.test(action),
  },
];

function isNewColumn(action: string): boolean {
  return (
    /^add /.test(action) && !/^add (constraint\b|check\b|foreign key\b|unique\b|primary key\b|exclude\b)/.test(action)
  );
}

/** Reads one migration and answers what in it would disturb the version at work. */
export function findDisturbances(migration: string): Finding[] {
  const isOutside = migration.startsWith(outsideOfATransaction);
  const statements = statementsOf(migration);
  const made = new Set(
    statements.flatMap(({ text }) => /^create table (?:if not exists )?(\S+)/.exec(text)?.[1] ?? []),
  );
  const findings: Finding[] = [];
  for (const { text, isContracting } of statements) {
    const note = (rule: string) => findings.push({ statement: text, rule });
    const isConcurrent = /\bconcurrently\b/.test(text);
    if (isConcurrent !== isOutside) {
      note(isOutside ? 'is outside of a transaction for nothing' : 'cannot run within a transaction');
    }
    const table = tableOf(text);
    if (isContracting || (table !== null && made.has(table))) continue;
    if (/^(create (unique )?|drop |re)index\b/.test(text) && !isConcurrent) note('keeps writers waiting for an index');
    if (/^(lock|truncate|cluster|vacuum full|refresh materialized view)\b/.test(text)) note('locks the whole table');
    if (/^(update|delete from|insert into)\b/.test(text)) note('changes rows, whose locks are kept to its end');
    if (/^create (or replace )?(constraint )?trigger\b/.test(text))
      note('changes what statements of the former version do');
    for (const action of actionsOf(text)) {
      for (const { rule, offends } of tableRules) if (offends(action)) note(rule);
    }
  }
  return findings;
}

function tableOf(text: string): string | null {
  const found =
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(text) ??
    /^create (?:unique )?index .*? on (?:only )?(\S+)/.exec(text) ??
    /^(?:update|delete from|insert into|truncate(?: table)?|lock(?: table)?) (\S+)/.exec(text) ??
    /^create .*?trigger .*? on (\S+)/.exec(text);
  return found?.[1] ?? null;
}

/** The actions of `alter table`, or the statement itself. */
function actionsOf(text: string): string[] {
  const list = /^alter table (?:if exists )?(?:only )?\S+ (.*)$/.exec(text)?.[1];
  if (list === undefined) return [text];
  const actions = [''];
  let depth = 0;
  for (const symbol of list) {
    if (symbol === '(') depth += 1;
    if (symbol === ')') depth -= 1;
    if (symbol === ',' && depth === 0) actions.push('');
    else actions[actions.length - 1] += symbol;
  }
  return actions.map((action) => action.trim());
}

/** Each statement in small letters on one line, without comments, texts and bodies. */
function statementsOf(migration: string): { text: string; isContracting: boolean }[] {
  const bare = migration.replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").replaceAll(/'(?:[^']|'')*'/g, "''");
  const found: { text: string; isContracting: boolean }[] = [];
  let isContracting = false;
  let lines: string[] = [];
  for (const line of bare.split('\n')) {
    const [, code = '', comment] = /^(.*?)(--.*)?$/.exec(line) ?? [];
    if (comment !== undefined && contracts.test(comment)) isContracting = true;
    for (const [index, part] of code.split(';').entries()) {
      if (index > 0) {
        found.push({ text: lines.join(' ').toLowerCase().replaceAll(/\s+/g, ' ').trim(), isContracting });
        isContracting = false;
        lines = [];
      }
      lines.push(part);
    }
  }
  return found.filter(({ text }) => text !== '');
}
