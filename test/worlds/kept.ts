import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { World } from './world.ts';

const folder = fileURLToPath(new URL('kept/', import.meta.url));

/** Every world that has ever failed, with its title. */
export function keptWorlds(): (World & { title: string })[] {
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const world = JSON.parse(readFileSync(`${folder}${file}`, 'utf8')) as World;
      if (world.title === undefined) throw new Error(`${file} has no title: say which rule it is about`);
      return { ...world, title: world.title };
    });
}
