import { type Member, type Model, modelsOf, type Type } from '../../generate/models.ts';
import { type Document, nameIn, type Schema } from '../../typescript/generate/document.ts';
import type { Resource } from '../../typescript/generate/resources.ts';
import { aligned, bareType, comment, exported, head, modelName, pointerTo, type Row, typeName } from './naming.ts';

type Models = ReadonlyMap<string, Model>;
type Union = Extract<Model, { kind: 'union' }>;

/** Prints a type for each schema of the document. */
export function printModels(document: Document, resources: Resource[]): string {
  const models = modelsOf(document);
  const inputs = inputsOf(models, resources);
  const printed = [...models.values()].map((model) => {
    if (model.kind === 'enum') return printEnum(model.name, model.description, model.values);
    if (model.kind === 'union') return printUnion(model, models);
    return printStruct(model.name, model.description, model.members, inputs.has(model.name));
  });
  const imports = ['\t"encoding/json"', ...(printed.join('').includes('time.Time') ? ['\t"time"'] : [])];
  return [head, 'package payments\n', 'import (', ...imports, ')\n', ...printed].join('\n');
}

function printEnum(name: string, description: string, values: string[]): string {
  const constants = values.map((value) => ({
    cells: [name + exported(value), `${name} = ${JSON.stringify(value)}`],
  }));
  return [
    ...comment([`${name} is a name of the API.`, description]),
    `type ${name} string\n`,
    'const (',
    ...aligned(constants),
    ')\n',
  ].join('\n');
}

function printStruct(name: string, description: string, members: Member[], isInput: boolean): string {
  return [
    ...comment([description]),
    `type ${modelName(name)} struct {`,
    ...aligned(members.map((member) => fieldOf(member, isInput))),
    '}\n',
  ].join('\n');
}

/** Only in a request does it matter whether a member is left out or null. */
function fieldOf({ name, type, required, description }: Member, isInput: boolean): Row {
  const printed = required ? typeName(type) : isInput ? `Optional[${bareType(type)}]` : pointerTo(type);
  const tag = required ? name : `${name},omitzero`;
  return { comment: comment([description], '\t'), cells: [exported(name), printed, `\`json:"${tag}"\``] };
}

/** A struct with what all branches share, and the branch itself as `Value`. */
function printUnion({ name, description, property, branches }: Union, models: Models): string {
  const objects = branches.map((branch) => {
    const model = models.get(branch.name);
    if (model?.kind !== 'object') throw new Error(`${branch.name} is no object`);
    return model;
  });
  const text = (type: Type) => JSON.stringify(type);
  const [first] = objects;
  const shared = (first?.members ?? []).filter(
    (member) =>
      member.name !== property &&
      objects.every(({ members }) =>
        members.some((other) => other.name === member.name && other.required && text(other.type) === text(member.type)),
      ),
  );
  const head = exported(property);
  return [
    ...comment([
      description || `${name} is one of several types, by \`${property}\`.`,
      'Value is a pointer to the type itself; nil if this client does not know it.',
    ]),
    `type ${name} struct {`,
    ...aligned([
      { cells: [head, 'string', `\`json:"${property}"\``] },
      ...shared.map((member) => fieldOf(member, false)),
      { cells: ['Value', `${name}Value`, '`json:"-"`'] },
      { comment: ['\t// Raw is the JSON as received.'], cells: ['Raw', 'json.RawMessage', '`json:"-"`'] },
    ]),
    '}\n',
    `// ${name}Value is one of the types that a ${name} has.`,
    `type ${name}Value interface{ is${name}() }\n`,
    ...aligned(
      branches.map((branch) => ({ cells: [`func (${modelName(branch.name)}) is${name}()`, '{}'] })),
      '',
    ),
    '',
    '// UnmarshalJSON reads the type that the JSON names.',
    `func (u *${name}) UnmarshalJSON(data []byte) error {`,
    `\ttype shared ${name}`,
    '\tvar read shared',
    '\tif err := json.Unmarshal(data, &read); err != nil {',
    '\t\treturn err',
    '\t}',
    `\tswitch read.${head} {`,
    ...branches.flatMap((branch) => [
      `\tcase ${JSON.stringify(branch.value)}:`,
      `\t\tread.Value = &${modelName(branch.name)}{}`,
    ]),
    '\t}',
    '\tread.Raw = append(json.RawMessage(nil), data...)',
    `\t*u = ${name}(read)`,
    '\tif u.Value == nil {',
    '\t\treturn nil',
    '\t}',
    '\treturn json.Unmarshal(data, u.Value)',
    '}\n',
    `// MarshalJSON writes Value with its \`${property}\`; without a Value it writes Raw.`,
    `func (u ${name}) MarshalJSON() ([]byte, error) {`,
    '\tswitch u.Value.(type) {',
    ...branches.flatMap((branch) => [
      `\tcase ${modelName(branch.name)}, *${modelName(branch.name)}:`,
      `\t\treturn marshalWith(u.Value, ${JSON.stringify(property)}, ${JSON.stringify(branch.value)})`,
    ]),
    '\t}',
    '\tif len(u.Raw) == 0 {',
    '\t\treturn []byte("{}"), nil',
    '\t}',
    '\treturn u.Raw, nil',
    '}\n',
  ].join('\n');
}

/** Returns the names of the types that only requests have. */
function inputsOf(models: Models, resources: Resource[]): Set<string> {
  const methods = resources.flatMap((resource) => resource.methods);
  const bodies = methods.flatMap(({ schemas }) => (schemas.body === null ? [] : [schemas.body]));
  const answers = methods.flatMap(({ schemas }) => schemas.responses);
  const answered = reachable(models, answers);
  return new Set([...reachable(models, bodies)].filter((name) => !answered.has(name)));
}

function reachable(models: Models, schemas: Schema[]): Set<string> {
  const found = new Set<string>();
  const visitType = (type: Type): void => {
    if (type.kind === 'model') visit(type.name);
    if (type.kind === 'list' || type.kind === 'map') visitType(type.of);
  };
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const model = models.get(name);
    if (model?.kind === 'object') for (const { type } of model.members) visitType(type);
    if (model?.kind === 'union') for (const branch of model.branches) visit(branch.name);
  };
  for (const { $ref } of schemas) if ($ref !== undefined) visit(nameIn($ref));
  return found;
}
