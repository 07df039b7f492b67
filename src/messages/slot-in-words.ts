/** A slot in words. People count payments from 1, and commands take the slot's number from 0: "payment 1 (slot 0)". */
export function slotInWords(slot: number): string {
  return `payment ${slot + 1} (slot ${slot})`;
}
