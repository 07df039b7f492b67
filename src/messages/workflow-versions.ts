/**
 * Changes of what the workflows do, each under the name that `patched` records in a history. A run that was begun before the
 * change goes on as it began (docs/upgrades.md says how a change is made, and when its patch goes).
 */
export const patches = {
  /** A subject that stalls in real time leaves a history that has grown long; before, only one that was well did. */
  freshRunsWhileStalled: 'fresh-runs-while-stalled',
  /** That a subject has stalled, and how often a delivery has failed, is upserted to be searched for; before, it was not. */
  searchableTrouble: 'searchable-trouble',
} as const;
