import type { JSX } from "preact";
import { readData } from "../../api/call.ts";
import { lookupLease } from "../../api/endpoints/sys.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Moment } from "../../ui/life-state.tsx";
import { Note } from "../../ui/page.tsx";

/** The note about a certificate's lease, if the token may read the lease. */
export function LeaseNote({ id }: { id: string }): JSX.Element | null {
  const lease = useLoad(() => readData(lookupLease, { lease_id: id }), [id]).value;
  return lease ? (
    <Note>
      The certificate has <a href={address("system", `leases/${id}`)}>a lease</a>: it is revoked
      when the lease is revoked or expires (<Moment at={new Date(lease.expire_time)} />
      ), or when the token that requested it expires.
    </Note>
  ) : null;
}
