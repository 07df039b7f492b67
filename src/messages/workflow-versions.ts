/**
 * Changes to the workflows, each with the name that `patched` records in a history. A run that started before a change
 * keeps the old behaviour. docs/upgrades.md says how to make a change, when to remove its patch, and how Worker
 * Versioning, which is optional, does without.
 */
export const patches = {
  /**
   * A subject that is stalled in real time continues as new when its history grows long. Without the patch, only a
   * subject that is not stalled does.
   */
  freshRunsWhileStalled: 'fresh-runs-while-stalled',
  /**
   * The workflow upserts search attributes when a subject stalls and when a delivery fails. Without the patch, it does
   * not.
   */
  searchableStalls: 'searchable-trouble',
  /**
   * A workflow continues as new after some 180 events. Without the patch, only when Temporal suggests it, after 4,096.
   */
  shortHistories: 'short-histories',
  /**
   * An attempt of a webhook delivery is made in the workflow task if the receiver responds promptly. A delivery that
   * succeeds at once upserts nothing. Without the patch, each attempt is an activity.
   */
  attemptsInTask: 'attempts-in-task',
  /**
   * An advance of a test clock brings the instant that is due first, and the workflow does not read that. Without the
   * patch, it reads it, as a worker of the former version does with the same Update.
   */
  advancesBringDates: 'advances-bring-dates',
} as const;
