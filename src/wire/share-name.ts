import type { Identity } from "../engine/ports.ts";
import type { Caller } from "./endpoint.ts";

type Holder = Identity | Pick<Caller, "id" | "token" | "entity" | "accessor">;
/** Returns the name under which the audit counts a caller: all tokens of an entity are one. */
export const holderName = ({ id, token, entity, accessor }: Holder): string =>
  entity?.id ?? token?.hash ?? accessor ?? id;
/** Returns the name of the caller from which another one has its token, or of itself. */
export const ownerName = (holder: Holder): string => holder.token?.origin ?? holderName(holder);
