import { pascal, plainTypeOf, wordsOf } from '../../generate/models.ts';
import type { Document } from '../../typescript/generate/document.ts';
import type { Method, Resource } from '../../typescript/generate/resources.ts';
import { aligned, bareType, comment, exported, head, schemaType, variable } from './naming.ts';

const json = 'application/json';

/** Prints a type for each resource, and the struct that has them all. */
export function printResources({ info }: Document, resources: Resource[]): string {
  return [
    head,
    'package payments\n',
    'import (\n\t"context"\n\t"encoding/json"\n\t"net/url"\n)\n',
    '// APIVersion is the version of the API that this package was generated for.',
    `const APIVersion = ${JSON.stringify(info.version)}\n`,
    '// Resources has every operation of the API.',
    'type Resources struct {',
    ...aligned(
      resources.map(({ words, description }) => ({
        comment: comment([description], '\t'),
        cells: [pascal(words), `*${pascal(words)}Service`],
      })),
    ),
    '}\n',
    'func newResources(t *transport) Resources {',
    '\treturn Resources{',
    ...aligned(
      resources.map(({ words }) => ({ cells: [`${pascal(words)}:`, `&${pascal(words)}Service{t},`] })),
      '\t\t',
    ),
    '\t}',
    '}\n',
    ...resources.map(printResource),
  ].join('\n');
}

function printResource({ words, description, methods }: Resource): string {
  const type = `${pascal(words)}Service`;
  return [
    ...comment([`${type}: ${description}`]),
    `type ${type} struct{ t *transport }\n`,
    ...methods.map((method) => printMethod(type, pascal(words), method)),
  ].join('\n');
}

function printMethod(type: string, resource: string, method: Method): string {
  const { schemas, paging, mediaType, summary, description, httpMethod, path, pathParameters } = method;
  // Two types of responses are told apart by hand.
  const isSplit = schemas.responses.length > 1;
  const publicName = exported(wordsOf(method.name).join('_'));
  const name = isSplit ? variable(wordsOf(method.name).join('_')) : publicName;
  const ids = pathParameters.map(variable);
  const queryType = `${resource}${publicName}Query`;
  const parameters = [
    'ctx context.Context',
    ...ids.map((id) => `${id} string`),
    ...(schemas.body === null ? [] : [`body ${schemaType(schemas.body)}`]),
    ...(schemas.query.length === 0 ? [] : [`query ${queryType}`]),
    'options ...Option',
  ];
  // The parts of the path and the ids between them, in turn.
  const parts = path
    .split(/[{}]/)
    .flatMap((part, index) => (index % 2 === 1 ? [variable(part)] : part === '' ? [] : [JSON.stringify(part)]));
  const request = [
    `method: ${JSON.stringify(httpMethod)}`,
    `path: path(${parts.join(', ')})`,
    ...(schemas.body === null ? [] : ['body: body']),
    ...(schemas.query.length === 0 ? [] : ['query: query.values()']),
    ...(mediaType === json ? [] : [`accept: ${JSON.stringify(mediaType)}`]),
  ].join(', ');
  const response =
    mediaType !== json ? 'string' : isSplit ? 'json.RawMessage' : bareType(plainTypeOf(schemas.responses[0]));
  const words = [...comment([`${name}: ${summary}`, description, `\`${httpMethod} ${path}\``])];
  const query = schemas.query.length === 0 ? [] : [printQuery(queryType, method)];
  const start = `func (s *${type}) ${name}(${parameters.join(', ')})`;
  if (paging !== null && method.itemSchema !== null) {
    const item = bareType(plainTypeOf(method.itemSchema));
    return [
      ...query,
      ...words,
      `${start} *Listing[${response}, ${item}] {`,
      `\treturn &Listing[${response}, ${item}]{`,
      `\t\tfetch: func(after string) (*${response}, error) {`,
      `\t\t\treturn send[${response}](ctx, s.t, request{${request}}.after(after), options)`,
      '\t\t},',
      `\t\tread: func(page *${response}) ([]${item}, bool) {`,
      `\t\t\treturn page.${exported(paging.items)}, page.HasMore`,
      '\t\t},',
      `\t\tcursor: func(item *${item}) string {`,
      `\t\t\treturn cursorOf(item.${exported(paging.cursor)})`,
      '\t\t},',
      '\t}',
      '}\n',
    ].join('\n');
  }
  if (mediaType !== json) {
    return [
      ...query,
      ...words,
      `${start} (string, error) {`,
      `\treturn s.t.sendText(ctx, request{${request}}, options)`,
      '}\n',
    ].join('\n');
  }
  return [
    ...query,
    ...words,
    `${start} (*${response}, error) {`,
    `\treturn send[${response}](ctx, s.t, request{${request}}, options)`,
    '}\n',
    ...(method.alias === null ? [] : printAlias(type, method.alias, publicName, parameters, response)),
  ].join('\n');
}

/** The same method, by the name of its path. */
function printAlias(type: string, alias: string, name: string, parameters: string[], response: string): string[] {
  const aliasName = exported(wordsOf(alias).join('_'));
  const given = parameters.map((parameter) => parameter.replace(/ \.\.\..*$/, '...').replace(/ .*$/, '')).join(', ');
  return [
    ...comment([`${aliasName} is the same as ${name}, by the name of its path.`]),
    `func (s *${type}) ${aliasName}(${parameters.join(', ')}) (*${response}, error) {`,
    `\treturn s.${name}(${given})`,
    '}\n',
  ];
}

function printQuery(name: string, { schemas }: Method): string {
  const fields = schemas.query.map((parameter) => {
    const type = bareType(plainTypeOf(parameter.schema));
    return {
      name: parameter.name,
      field: exported(parameter.name),
      type: parameter.required ? type : `Optional[${type}]`,
      required: parameter.required,
    };
  });
  return [
    `// ${name} is the query of the method.`,
    `type ${name} struct {`,
    ...aligned(fields.map(({ field, type }) => ({ cells: [field, type] }))),
    '}\n',
    `func (q ${name}) values() url.Values {`,
    '\tvalues := url.Values{}',
    ...fields.map((field) =>
      field.required
        ? `\taddRequired(values, "${field.name}", q.${field.field})`
        : `\taddOptional(values, "${field.name}", q.${field.field})`,
    ),
    '\treturn values',
    '}\n',
  ].join('\n');
}
