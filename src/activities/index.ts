import { type ClockDeps, createClockActivities } from './clock-activities.ts';
import { type CollectionDeps, createCollectionActivities } from './collection-activities.ts';

/** Everything that the workflows of plans, scheduled payments and clocks ask a worker to do. */
export function createActivities(deps: ClockDeps & CollectionDeps) {
  return { ...createClockActivities(deps), ...createCollectionActivities(deps) };
}
