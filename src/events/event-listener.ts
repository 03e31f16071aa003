import type { StoreContext } from "../engine/store-context.ts";
import type { EventListener } from "./event-table.ts";

/** Returns the deployment's callback for events, if any. */
export const eventListener = ({
  features,
}: Pick<StoreContext, "features">): EventListener | undefined =>
  // the option of `createCa` has this type
  features["events"] as EventListener | undefined;
