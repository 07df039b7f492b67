/**
 * Changes to the workflows, each with the name that `patched` records in a history. A run that started before a change
 * keeps the old behaviour. docs/upgrades.md says how to make a change, when to remove its patch, and how Worker
 * Versioning, which is optional, does without. There is none since 1.0.0, the first version.
 */
export const patches = {} as const satisfies Record<string, string>;
