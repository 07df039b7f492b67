import { pascal, plainTypeOf, snake, wordsOf } from '../../generate/models.ts';
import type { Document } from '../../typescript/generate/document.ts';
import type { Method, Resource } from '../../typescript/generate/resources.ts';
import { docstring, head, keywords, typeName } from './models.ts';

const json = 'application/json';

/** Prints a class for each resource, and the class that has them all. */
export function printResources({ info }: Document, resources: Resource[]): string {
  return [
    head,
    'from __future__ import annotations\n',
    'from typing import Any, Unpack\n',
    'from .._listing import Listing',
    'from .._options import RequestOptions, WaitOptions, WriteOptions',
    'from .._resource import Resource, segment',
    'from .._transport import Transport',
    'from . import models\n',
    '# Responses are typed by the document, and not checked.',
    '# mypy: disable-error-code="no-any-return"\n',
    `API_VERSION = ${JSON.stringify(info.version)}`,
    '"""The version of the API that this file was generated for."""\n',
    ...resources.map(printResource),
    '\nclass Resources:',
    '    """Every operation of the API."""\n',
    '    def __init__(self, transport: Transport) -> None:',
    ...resources.flatMap(({ words, description }) => [
      `        self.${snake(words)} = ${pascal(words)}(transport)`,
      ...docstring([description], '        '),
    ]),
    '',
  ].join('\n');
}

function printResource({ words, description, methods }: Resource): string {
  return [
    `\nclass ${pascal(words)}(Resource):`,
    ...docstring([description], '    '),
    '',
    methods.map(printMethod).join('\n\n'),
    '\n',
  ].join('\n');
}

function printMethod(method: Method): string {
  const { schemas, paging, mediaType, options, summary, description, httpMethod, path } = method;
  const ids = method.pathParameters.map((name) => snake(wordsOf(name)));
  const body = schemas.body === null ? null : typeName(plainTypeOf(schemas.body), 'models.');
  const query = schemas.query.map((parameter) => {
    const type = typeName(plainTypeOf(parameter.schema), 'models.');
    const variable = variableOf(parameter.name);
    return {
      name: parameter.name,
      variable,
      text: `${variable}: ${type}${parameter.required ? '' : ' | None = None'}`,
    };
  });
  const parameters = [
    'self',
    ...ids.map((id) => `${id}: str`),
    ...(body === null ? [] : [method.body?.required ? `body: ${body}` : `body: ${body} | None = None`]),
    ...(query.length === 0 ? [] : ['*', ...query.map(({ text }) => text)]),
    `**options: Unpack[${options}]`,
  ];
  const filled = ids.reduce(
    (text, id, index) => text.replace(`{${method.pathParameters[index]}}`, `{segment(${id})}`),
    path,
  );
  const given = [
    JSON.stringify(httpMethod),
    `${ids.length > 0 ? 'f' : ''}${JSON.stringify(filled)}`,
    ...(body === null ? [] : ['body=body']),
    ...(query.length === 0
      ? []
      : [`query={${query.map(({ name, variable }) => `"${name}": ${variable}`).join(', ')}}`]),
    ...(mediaType === json ? [] : [`accept=${JSON.stringify(mediaType)}`]),
    'options=options',
  ];
  const response =
    mediaType === json
      ? schemas.responses.map((schema) => typeName(plainTypeOf(schema), 'models.')).join(' | ')
      : 'str';
  const [type, call] =
    paging === null
      ? [response, `self._send(${given.join(', ')})`]
      : [
          `Listing[${response}, ${itemType(method)}]`,
          `self._pages_of(${given.join(', ')}, items="${paging.items}", cursor="${paging.cursor}")`,
        ];
  return [
    `    def ${snake(wordsOf(method.name))}(`,
    ...parameters.map((parameter) => `        ${parameter},`),
    `    ) -> ${type}:`,
    ...docstring([summary, description, `\`${httpMethod} ${path}\``], '        '),
    `        return ${call}`,
    ...(method.alias === null
      ? []
      : [
          `\n    ${snake(wordsOf(method.alias))} = ${snake(wordsOf(method.name))}`,
          ...docstring([`The same as \`${snake(wordsOf(method.name))}\`, by the name of its path.`], '    '),
        ]),
  ].join('\n');
}

/** A keyword of Python gets an underscore: `from_`. */
function variableOf(name: string): string {
  return keywords.has(name) ? `${name}_` : name;
}

/** The type of an item is that of the member with the items. */
function itemType({ operationId, itemSchema }: Method): string {
  if (itemSchema === null) throw new Error(`the items of ${operationId} have no schema`);
  return typeName(plainTypeOf(itemSchema), 'models.');
}
