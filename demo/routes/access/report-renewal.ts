import type { AuthReply } from "../../../src/client/auth.ts";
import { announceChange } from "../../lib/changes.ts";
import type { Reply } from "../../api/transport.ts";
import { notify } from "../../ui/notify.tsx";
import { describeRenewal } from "./token-renewal.ts";

/** Shows a message about the renewal of a token, and reloads the views. */
export function reportRenewal(reply: Reply<AuthReply>): void {
  announceChange();
  const { title, warnings } = describeRenewal(reply, new Date());
  notify(title, warnings);
}
