import { readFile } from 'node:fs/promises';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';

type AttributeType = NonNullable<ReturnType<typeof encodeSearchAttributeIndexedValueType>>;

const types = ['KEYWORD', 'BOOL', 'DATETIME', 'INT'] as const;

/** The search attributes of temporal/search-attributes.json, as the server's own API wants them. */
export async function attributeTypes(): Promise<Record<string, AttributeType>> {
  const file = new URL('../../temporal/search-attributes.json', import.meta.url);
  const listed: Record<string, string> = JSON.parse(await readFile(file, 'utf8'));
  return Object.fromEntries(
    Object.entries(listed).map(([name, typeName]) => {
      const type = encodeSearchAttributeIndexedValueType(types.find((known) => known === typeName.toUpperCase()));
      if (type === undefined) throw new Error(`${name} has the unknown type ${typeName}`);
      return [name, type];
    }),
  );
}
