import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { lease, leaseCount, leaseParts, revokeLease, revokePrefix, steps } from "./lease-calls.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Card, Empty, Facts, Ready } from "../../ui/page.tsx";
import * as sys from "../../api/endpoints/sys.ts";
import { missingPermission, useAcl } from "../../api/permissions.ts";
import { ApiError } from "../../api/transport.ts";
import { isUnlimited } from "../../lib/unlimited-acl.ts";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, open, redirect, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { distance, instant } from "../../lib/time-text.ts";
import { isTokenLike } from "../../lib/token-syntax.ts";
import { visible } from "../../lib/visible-text.ts";
import { Moment } from "../../ui/life-state.tsx";

const leaseAddress = (id: string): string => address("system", `leases/${id}`);

/** The view of the lease, or of the leases under the prefix, that the URL specifies. */
export function Leases(): JSX.Element {
  const at = useStore(route, (value) => value.id.replace(/^leases\/?/, ""));
  return (
    <>
      <LookUp />
      {at === "" || at.endsWith("/") ? <Below key={at} prefix={at} /> : <One key={at} id={at} />}
    </>
  );
}

function LookUp(): JSX.Element {
  const [id, type] = useState("");
  const [wrong, setWrong] = useState("");
  const sought = id.trim().replace(/^\/+/, "");
  const find = (event: Event): void => {
    event.preventDefault();
    // The ID becomes part of the URL, which must not contain a token.
    const why = isTokenLike(id) ? "This looks like a token, not a lease ID" : "";
    setWrong(why);
    if (why === "" && id.trim() !== "") open(leaseAddress(sought));
  };
  return (
    <Card title="Look up a lease">
      <form class="pad stack close" onSubmit={find} noValidate>
        <Text
          label="Lease ID"
          value={id}
          change={type}
          error={wrong}
          placeholder="pki/issue/web/3f0c…"
          hint="Enter the lease_id from a response, or a prefix that ends with a slash to find all leases under it."
          mono
        />
        <div class="actions">
          <Button
            submit
            lacks={
              id.trim().endsWith("/")
                ? missingPermission(sys.listLeases, { prefix: sought })
                : missingPermission(sys.lookupLease)
            }
          >
            Look up
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Links to the parent prefixes of a prefix or lease. */
function LeasePath({ to: id }: { to: string }): JSX.Element {
  const all = steps(id);
  return (
    <p class="pad small mono">
      <a href={leaseAddress("")}>Leases</a>
      {all.map(({ name, prefix }, i) => (
        <Fragment key={prefix}>
          {" / "}
          {i < all.length - 1 ? <a href={leaseAddress(prefix)}>{visible(name)}</a> : visible(name)}
        </Fragment>
      ))}
    </p>
  );
}

async function readLeases(prefix: string): Promise<{ parts: readonly string[]; count?: number }> {
  const [parts, count] = await Promise.all([
    leaseParts(prefix),
    // without permission to count leases, show the list without a number
    prefix === "" ? leaseCount().catch(() => undefined) : undefined,
  ]);
  return { parts, ...(count !== undefined && { count }) };
}

function Below({ prefix }: { prefix: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => readLeases(prefix), [turn]);
  const [asking, setAsking] = useState(false);
  const acl = useAcl();
  // the `default` policy has a rule only for the path of the whole list
  const isOutranked =
    prefix === "" &&
    result.error instanceof ApiError &&
    result.error.lacks !== "" &&
    acl &&
    isUnlimited(acl);
  const count = result.value?.count;
  return (
    <Card
      title={prefix === "" ? "Leases" : `Leases under ${visible(prefix)}`}
      end={
        prefix !== "" && (
          <Button
            tiny
            kind="danger"
            lacks={missingPermission(sys.revokeLeases, { prefix })}
            press={() => setAsking(true)}
          >
            Revoke all these…
          </Button>
        )
      }
      footer={count ? `${count} in total` : undefined}
    >
      {prefix !== "" && <LeasePath to={prefix} />}
      <Ready from={result}>
        {({ parts }) =>
          parts.length === 0 ? (
            <Empty text="No leases. A certificate gets a lease if its role sets generate_lease. If you revoke the lease, the certificate is revoked.">
              <ButtonLink to={address("roles")}>Roles</ButtonLink>
            </Empty>
          ) : (
            <table class="table cards" aria-label="Leases">
              <Columns of={["ID"]} />
              <tbody>
                {parts.map((part) => (
                  <OpenRow key={part} to={leaseAddress(prefix + part)}>
                    <td class="mono long full">
                      <a href={leaseAddress(prefix + part)}>{visible(part)}</a>
                    </td>
                  </OpenRow>
                ))}
              </tbody>
            </table>
          )
        }
      </Ready>
      {isOutranked && (
        <p class="pad small muted">
          Your policy for all paths does not apply here: the policy default has a rule for exactly
          this path, and the most specific rule applies. Add a rule for this path with list and sudo
          to your policy.
        </p>
      )}
      {asking && <RevokeAll prefix={prefix} close={() => setAsking(false)} />}
    </Card>
  );
}

function One({ id }: { id: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => lease(id), [turn]);
  const [asking, setAsking] = useState(false);
  return (
    <Card
      title="Lease"
      end={
        result.value && (
          <Button
            tiny
            kind="danger"
            lacks={missingPermission(sys.revokeLease)}
            press={() => setAsking(true)}
          >
            Revoke…
          </Button>
        )
      }
    >
      <LeasePath to={id} />
      <Ready from={result}>
        {(one) => (
          <Facts
            rows={[
              ["ID", visible(one.id), true],
              ["Issued", <Moment at={new Date(one.issue_time)} />],
              [
                "Expires",
                `${instant(new Date(one.expire_time))}, ${distance(new Date(one.expire_time), new Date())}`,
              ],
            ]}
          />
        )}
      </Ready>
      {asking && <Revoke id={id} close={() => setAsking(false)} />}
    </Card>
  );
}

function Revoke({ id, close }: { id: string; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await revokeLease(id);
    close();
    redirect(leaseAddress(id.replace(/[^/]+$/, "")));
    announceChange();
    notify("Lease revoked", warnings);
  };
  return (
    <Confirm
      title="Revoke this lease?"
      writes="all mounts"
      close={close}
      action="Revoke lease"
      work={work}
    >
      <p>
        The certificate issued under <code class="break">{visible(id)}</code> will be permanently
        revoked.
      </p>
    </Confirm>
  );
}

function RevokeAll({ prefix, close }: { prefix: string; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await revokePrefix(prefix);
    close();
    announceChange();
    notify("Leases are being revoked", warnings);
  };
  return (
    <Confirm
      title="Revoke all these leases?"
      writes="all mounts"
      close={close}
      name={prefix}
      action="Revoke all"
      work={work}
    >
      <p>
        Every certificate with a lease under <code class="break">{visible(prefix)}</code> will be
        permanently revoked.
      </p>
    </Confirm>
  );
}
