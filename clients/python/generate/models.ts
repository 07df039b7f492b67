import { type Member, type Model, modelsOf, type Type, wrapped } from '../../generate/models.ts';
import type { Document } from '../../typescript/generate/document.ts';

export const head = '# Generated from the OpenAPI document of the service by `npm run generate`. Do not edit.\n';
const columns = 100;
/** The keywords of Python. */
export const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Prints a type for each schema of the document: a TypedDict, a Literal or a union. */
export function printModels(document: Document): string {
  const models = [...modelsOf(document).values()];
  return [
    head,
    'from __future__ import annotations\n',
    'from typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n',
    ...models.filter(({ kind }) => kind === 'enum').map(printModel),
    '',
    ...models.filter(({ kind }) => kind === 'object').map(printModel),
    '',
    ...models.filter(({ kind }) => kind === 'union').map(printModel),
    '',
  ].join('\n');
}

function printModel(model: Model): string {
  if (model.kind === 'enum') {
    return assigned(model.name, `Literal[${model.values.map((value) => JSON.stringify(value)).join(', ')}]`);
  }
  if (model.kind === 'union')
    return assigned(model.name, JSON.stringify(model.branches.map(({ name }) => name).join(' | ')));
  if (model.members.some(({ name }) => keywords.has(name))) return printByCall(model.name, model.members);
  return [
    `\nclass ${model.name}(TypedDict):`,
    ...docstring([model.description], '    '),
    ...model.members.flatMap(printMember),
    ...(model.members.length + model.description.length === 0 ? ['    pass'] : []),
    '',
  ].join('\n');
}

function assigned(name: string, type: string): string {
  return `${name}: TypeAlias = ${type}  # noqa: E501`;
}

/** A member with the name of a keyword cannot be in a class body. */
function printByCall(name: string, members: Member[]): string {
  const printed = members.map((member) => `    ${JSON.stringify(member.name)}: ${JSON.stringify(annotation(member))},`);
  return [`\n${name} = TypedDict("${name}", {`, ...printed, '})\n'].join('\n');
}

function printMember(member: Member): string[] {
  return [`    ${member.name}: ${annotation(member)}`, ...docstring([member.description], '    ')];
}

function annotation({ type, required }: Member): string {
  const printed = typeName(type, '');
  return required ? printed : `NotRequired[${printed}]`;
}

/** Returns the type as an annotation. `module` is where the models are, such as `models.`. */
export function typeName(type: Type, module: string): string {
  const name = type.isOpen === true ? `${bareName(type, module)} | str` : bareName(type, module);
  return type.nullable === true && name !== 'Any' ? `${name} | None` : name;
}

function bareName(type: Type, module: string): string {
  switch (type.kind) {
    case 'model':
      return `${module}${type.name}`;
    case 'list':
      return `list[${typeName(type.of, module)}]`;
    case 'map':
      return `dict[str, ${typeName(type.of, module)}]`;
    case 'constant':
      return `Literal[${type.value === true ? 'True' : type.value === false ? 'False' : JSON.stringify(type.value)}]`;
    case 'any':
      return 'Any';
    default:
      return { string: 'str', 'date-time': 'str', integer: 'int', number: 'float', boolean: 'bool' }[type.kind];
  }
}

/** Prints paragraphs as a documentation string; nothing if there is no text. */
export function docstring(paragraphs: string[], indent: string): string[] {
  const text = paragraphs
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', '\\"""');
  if (text === '') return [];
  const lines = wrapped(text, columns - indent.length - 6);
  const [only = ''] = lines;
  if (lines.length === 1) return [`${indent}"""${only.endsWith('"') ? `${only} ` : only}"""`];
  return [`${indent}"""${only}`, ...lines.slice(1).map((line) => `${indent}${line}`.trimEnd()), `${indent}"""`];
}
