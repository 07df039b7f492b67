/** Slots for requests under way, shared out among their holders. */
export interface SendingSlots {
  /** Takes a slot for this holder; false when it has its share already, or no slot is left. */
  tryTake(holder: string): boolean;
  /** Gives a slot back that was taken. */
  release(holder: string): void;
}

/**
 * A holder may have an eighth of the slots that are free, and one in any case. So the share shrinks with what the others
 * hold: one receiver that hangs ends at a ninth of all slots, and twenty, one after the other, leave nearly a tenth free.
 */
const shareOfFree = 1 / 8;

/** @param capacity how many slots there are. */
export function createSendingSlots(capacity: number): SendingSlots {
  const held = new Map<string, number>();
  let free = capacity;
  return {
    tryTake(holder) {
      const mine = held.get(holder) ?? 0;
      if (free === 0 || mine >= Math.max(1, Math.floor(free * shareOfFree))) return false;
      held.set(holder, mine + 1);
      free -= 1;
      return true;
    },
    release(holder) {
      const mine = held.get(holder) ?? 0;
      if (mine === 0) throw new Error(`${holder} holds no slot`);
      if (mine === 1) held.delete(holder);
      else held.set(holder, mine - 1);
      free += 1;
    },
  };
}
