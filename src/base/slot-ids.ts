import type { RandomBytes } from "./random-text.ts";
import { uuid } from "./ids.ts";

/**
 * IDs with a slot: those that begin with `p` and the slot, and UUIDs of version 8 (RFC 9562 section
 * 5.8) that begin with it. A slot has two hexadecimal digits, from 00 to 3f.
 */
const withSlot = /^(?:p([0-3][\da-f])|([0-3][\da-f])[\da-f]{6}-[\da-f]{4}-8)/;
/**
 * Returns the slot of an ID, the number from 0 to 63 by which a partitioned mount places rows with
 * this ID. Returns undefined for an ID without a slot, such as a random UUID.
 */
export function slotOfId(id: string): number | undefined {
  const [, short, long] = withSlot.exec(id) ?? [];
  const digits = short ?? long;
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
/**
 * Returns the prefix, `p` and a slot, of IDs that `idBeside` generates with the slot of `id`.
 * Returns undefined if `id` has no slot.
 */
export function slotStart(id: string): string | undefined {
  const slot = slotOfId(id);
  return slot === undefined ? undefined : `p${slot.toString(16).padStart(2, "0")}`;
}
/** Generates a UUID of version 8 with a random slot. */
export function uuidWithSlot(random: RandomBytes): string {
  const id = uuid(random);
  const first = Number.parseInt(id.charAt(0), 16) % 4;
  return `${first}${id.slice(1, 14)}8${id.slice(15)}`;
}
/**
 * Generates a random ID with the slot of another ID, as long as a UUID. If the other ID has no
 * slot, returns a random UUID.
 */
export function idBeside(random: RandomBytes, other: string): string {
  const id = uuid(random);
  const start = slotStart(other);
  return start === undefined ? id : start + id.slice(start.length);
}
