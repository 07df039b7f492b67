// `npm run generate`: writes the client again from the service's OpenAPI document.
import { mkdir, writeFile } from 'node:fs/promises';
import { folder, generate, serviceDocument } from './generate.ts';

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(await generate(serviceDocument()))) {
  await writeFile(new URL(name, folder), text);
}
