import { type ClockDeps, createClockActivities } from './clock-activities.ts';
import { type CollectionDeps, createCollectionActivities } from './collection-activities.ts';

/** Returns the activities of the workflows for plans, scheduled payments and clocks. */
export function createActivities(deps: ClockDeps & CollectionDeps) {
  return { ...createClockActivities(deps), ...createCollectionActivities(deps) };
}
