// `npm run generate -w clients/typescript`: writes the clients again from the service's OpenAPI document.
import { mkdir, writeFile } from 'node:fs/promises';
import * as go from '../go/generate/generate.ts';
import * as python from '../python/generate/generate.ts';
import * as typescript from '../typescript/generate/generate.ts';

const document = typescript.serviceDocument();
for (const client of [typescript, python, go]) {
  await mkdir(client.folder, { recursive: true });
  const files: Record<string, string> = await client.generate(document);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(new URL(name, client.folder), text);
  }
}
