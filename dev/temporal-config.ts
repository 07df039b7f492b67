import { readFile } from 'node:fs/promises';

const templateFolder = new URL('../temporal/', import.meta.url);

export type ConfigTemplate = 'ui.yaml';

/**
 * Reads a file of `temporal/` and fills in its `${…}`. @throws when a name has no value: a server must not guess one.
 */
export async function renderTemplate(name: ConfigTemplate, values: Record<string, number | string>): Promise<string> {
  const template = await readFile(new URL(name, templateFolder), 'utf8');
  return template.replace(/^(?!\s*#).*$/gm, (line) =>
    line.replace(/\$\{(\w+)\}/g, (_whole, key: string) => {
      const value = values[key];
      if (value === undefined) {
        throw new Error(`temporal/${name} asks for ${key}, which has no value`);
      }
      return String(value);
    }),
  );
}

/** The dynamic configuration of the embedded server, as YAML. */
export function readDynamicConfig(): Promise<string> {
  return readFile(new URL('dynamic-config.yaml', templateFolder), 'utf8');
}

/** A dynamic configuration as flags of the `temporal` CLI: `name=value`, the value in JSON. */
export function dynamicConfigFlags(yaml: string): string[] {
  const settings = [...yaml.matchAll(/^([\w.]+): \[\{value: (.+?)\}\]$/gm)];
  return settings.flatMap(([, name = '', value = '']) => [
    '--dynamic-config-value',
    `${name}=${/^(true|false|\d+|\[.*\])$/.test(value) ? value : JSON.stringify(value)}`,
  ]);
}
