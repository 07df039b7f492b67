/** Slots for requests under way, shared fairly among their holders. */
export interface SendingSlots {
  /** Takes a slot for this holder. Returns false if the holder has its share already, or no slot is free. */
  tryTake(holder: string): boolean;
  /** Gives back a slot that was taken. */
  release(holder: string): void;
}

/**
 * A holder may have an eighth of the free slots, and at least one. So its share shrinks with what the others hold. One
 * hanging receiver stops at a ninth of all slots. Twenty hanging receivers, one after the other, leave nearly a tenth
 * free.
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
