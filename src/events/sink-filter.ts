import { compileGlob } from "../base/glob.ts";
import type { CaEvent } from "./event-table.ts";
import type { EventSinkRow } from "./sink-rows.ts";

/** The filters of a sink. */
type SinkFilters = Pick<EventSinkRow, "types" | "mounts" | "roles" | "issuers" | "names">;

/**
 * Compiles the filters of a sink to a function that reports whether all of them match an event. If
 * an event does not have a property, a filter on this property does not match.
 */
export function compileFilters(filters: SinkFilters): (event: CaEvent) => boolean {
  const [types, mounts, roles, issuers, names] = [
    matcher(filters.types),
    matcher(filters.mounts),
    matcher(filters.roles),
    matcher(filters.issuers),
    matcher(filters.names.map((name) => name.toLowerCase())),
  ];
  return (event) => {
    const { data } = event;
    return (
      types([event.type]) &&
      mounts("mount" in data ? [data.mount] : []) &&
      roles("role" in data && data.role !== "" ? [data.role] : []) &&
      issuers("issuer_id" in data ? [data.issuer_id, data.issuer_name] : []) &&
      names(namesOf(event).map((name) => name.toLowerCase()))
    );
  };
}

/**
 * Returns a function that reports whether any of the values matches any of the globs. If there are
 * no globs, it always returns true.
 */
function matcher(globs: readonly string[]): (values: readonly string[]) => boolean {
  const matches = globs.map(compileGlob);
  return (values) =>
    matches.length === 0 ||
    matches.some((match) => values.some((value) => value !== "" && match(value)));
}

/** Returns the names in an event. */
function namesOf({ data }: CaEvent): readonly string[] {
  if ("name" in data) return [data.name];
  const common = "common_name" in data ? [data.common_name] : [];
  return "names" in data ? [...common, ...data.names] : common;
}
