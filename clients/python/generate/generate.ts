import type { Document } from '../../typescript/generate/document.ts';
import { resourcesOf } from '../../typescript/generate/resources.ts';
import { printModels } from './models.ts';
import { printResources } from './resources.ts';

/** The folder of the generated files. */
export const folder = new URL('../src/payments_service/_generated/', import.meta.url);

/** Generates the files of the Python client from a document, by name. */
export function generate(document: Document): Record<string, string> {
  return {
    '__init__.py': '',
    'models.py': printModels(document),
    'resources.py': printResources(document, resourcesOf(document)),
  };
}
