import type { Mount } from "../../engine/mount.ts";
import { acmeValidation } from "../rows/prefixes.ts";
import { type AuthzRow } from "../rows/records.ts";
import { processingOf } from "./challenge-state.ts";

/** An authorization with its ID. */
interface AuthorizationRecord {
  readonly id: string;
  readonly row: AuthzRow;
}

/**
 * Starts due validations if this process runs jobs, so that none is lost if a host calls `tick`
 * late or never, or if the previous process ended. Returns at once.
 */
export function beginDue(mount: Mount, authorizations: readonly AuthorizationRecord[]): void {
  const { ports } = mount;
  if (ports.once) return;
  const now = ports.now();
  const due = authorizations.filter(({ row }) => (processingOf(row)?.due_ms ?? Infinity) <= now);
  if (due.length === 0) return;
  import("./start.ts")
    .then(({ startMissed }) =>
      startMissed(
        mount,
        due.map(({ id }) => id),
      ),
    )
    .catch((cause: unknown) =>
      ports.log?.({ endpoint: `job ${acmeValidation}`, status: 500, ms: 0, cause }),
    );
}
