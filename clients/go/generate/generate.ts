import type { Document } from '../../typescript/generate/document.ts';
import { resourcesOf } from '../../typescript/generate/resources.ts';
import { printModels } from './models.ts';
import { printResources } from './resources.ts';

/** The folder of the generated files: a package of Go is one folder. */
export const folder = new URL('../', import.meta.url);

/** Generates the files of the Go client from a document, by name. */
export function generate(document: Document): Record<string, string> {
  const resources = resourcesOf(document);
  return {
    'generated_models.go': printModels(document, resources),
    'generated_resources.go': printResources(document, resources),
  };
}
