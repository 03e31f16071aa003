import type { Identity } from "../engine/ports.ts";
import type { Caller } from "./endpoint.ts";

/**
 * Returns the name under which a caller has its share of the audit: that of its entity, or of the
 * token from which all its tokens come.
 */
export const shareName = ({
  id,
  token,
  entity,
  accessor,
}: Identity | Pick<Caller, "id" | "token" | "entity" | "accessor">): string =>
  token?.origin ?? entity?.id ?? token?.hash ?? accessor ?? id;
