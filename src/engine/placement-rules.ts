import { base64UrlDigit } from "../base/bytes.ts";
import { slotOfId } from "../base/slot-ids.ts";
import { type Placement, type PlacementRules, type Rule, spreadOf } from "./placement.ts";

const slotForm = /\/~(\d\d)\//;
/** Returns the number from 0 to 63 by which a rule distributes a row; `rest` follows the prefix. */
function numberOf(rule: Exclude<Rule, "batch">, rest: string): number {
  if (rule === "spread") return spreadOf(rest);
  if (rule === "slot") return Number(slotForm.exec(`/${rest}`)?.[1] ?? 0);
  if (rule === "id") return slotOfId(rest) ?? 0;
  return base64UrlDigit(rest.charAt(rule.digit)) ?? 0;
}

/**
 * Returns the placement of a mount's rows in `count` partitions: 1, 4, 16 or 64. Rows without a
 * rule are in the mount's own store.
 */
export function placementOf(rules: PlacementRules, count: number): Placement {
  const all = Array.from({ length: count }, (_, partition) => partition);
  return {
    count,
    placeOf(key) {
      const rule = rules.find(
        ([prefix, , only = ""]) => key.startsWith(prefix) && key.includes(only),
      );
      if (!rule) return 0;
      const [prefix, how] = rule;
      return how === "batch" ? how : numberOf(how, key.slice(prefix.length)) % count;
    },
    partitionsBelow(prefix) {
      const below = rules.filter(([rule]) => rule.startsWith(prefix) || prefix.startsWith(rule));
      const [first] = below;
      if (!first) return [0];
      const [start, how] = first;
      // the slot of an ID is at its start, so that a listing can be limited to it
      const slot = how === "id" ? slotOfId(prefix.slice(start.length)) : undefined;
      return slot === undefined ? all : [slot % count];
    },
  };
}
