import { CaError, type Refusal } from "../base/errors.ts";
import type { Place } from "./endpoint.ts";

/** Refusals which tell that a path leads nowhere. */
const codes = new Set<Refusal>(["no_route", "unsupported_path", "unsupported_operation"]);
/** Reports whether an error tells that a path leads nowhere, or has no such method. */
export const leadsNowhere = (error: unknown): error is CaError =>
  error instanceof CaError && codes.has(error.code);

const methods = ["GET", "POST", "LIST", "PATCH", "DELETE"] as const;
/** Reports whether any caller may learn that a path leads nowhere: it or a method of it is open. */
export async function isOpen(place: Place, error: CaError): Promise<boolean> {
  const { path, tables, type } = place;
  const list = tables?.mounts;
  const open = list && Object.hasOwn(list, type) ? list[type]?.open : undefined;
  if (open?.test(path)) return true;
  if (error.code !== "unsupported_operation") return false;
  for (const method of methods)
    try {
      const found = await place.find(method, false, path);
      if (found.endpoint.access === "open") return true;
    } catch (other) {
      if (!leadsNowhere(other)) throw other;
    }
  return false;
}
