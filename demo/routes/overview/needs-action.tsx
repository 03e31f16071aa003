import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../ui/icon.tsx";
import { lifeTone } from "../../ui/life-state.tsx";
import { address } from "../../lib/route.ts";
import { distance } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import type { OtherMount } from "./other-mount.ts";
import { expiryTexts, wantOf, type PendingIssuer } from "./pending-actions.ts";
import type { Pending } from "./use-pending.ts";

interface Props extends Omit<Pending, "certificates"> {
  now: Date;
}

/** The card with the CAs and certificates that need action. */
export function NeedsAction(props: Props): JSX.Element | null {
  const { issuers, distrusted, elsewhere, soon, otherMount, now } = props;
  const count = issuers.length + distrusted.length + elsewhere.length + soon.others;
  if (count === 0 && !otherMount) return null;
  const { title, about: renew } = expiryTexts(soon);
  return (
    <section class="card" aria-label="Needs action">
      <ul class="list">
        {otherMount && <OtherMountUrls {...otherMount} />}
        {issuers.map((one) => (
          <PendingRow key={one.one.record.issuer_id} of={one} now={now} />
        ))}
        {distrusted.map(({ one, count, more }) => (
          <Item
            key={`certificates ${one.record.issuer_id}`}
            tone="danger"
            title={`${more ? `More than ${count}` : count} valid ${count === 1 && !more ? "certificate" : "certificates"} issued by ${one.name}, which is ${one.record.revoked ? "revoked" : "below a revoked CA"}`}
            about={`${
              one.view.selfIssued
                ? "Clients accept these certificates until the root is removed from their trust stores."
                : "Clients that check revocation reject these certificates."
            } Issue replacements with another CA, then revoke these certificates.`}
            to={address("certificates", "", { issuer: one.record.issuer_id, status: "valid" })}
            action="Show"
          />
        ))}
        {elsewhere.map(({ serial, title: name, ends }) => (
          <Item
            key={serial}
            tone="warn"
            title={`${name} expires ${distance(ends, now)}`}
            about="This mount signed the certificate of an external CA. Ask the CA’s owner for a new CSR and sign it."
            to={address("certificates", serial)}
            action="Open"
          />
        ))}
        {soon.others > 0 && (
          <Item
            tone="warn"
            title={title}
            about={renew}
            to={address("certificates", "", { status: "soon" })}
            action="Show"
          />
        )}
      </ul>
    </section>
  );
}

function PendingRow({ of, now }: { of: PendingIssuer; now: Date }): JSX.Element | null {
  const { one, state, successor } = of;
  const want = wantOf(of, now);
  if (!want) return null;
  const opens = state === "future" || successor !== undefined;
  return (
    <Item
      tone={lifeTone(state) || "warn"}
      title={`${one.name} ${want[0]}`}
      about={want[1]}
      to={address("authorities", one.record.issuer_id, opens ? {} : { action: "successor" })}
      action={opens ? "Open" : "Create successor…"}
    />
  );
}

/** The task to replace URLs that name another mount, as after a restore under another name. */
const OtherMountUrls = ({ path, isInCertificates, to }: OtherMount): JSX.Element => (
  <Item
    tone="warn"
    title={
      isInCertificates
        ? `The URLs in new certificates name another mount: ${visible(path)}`
        : `The configured URL of this mount names another mount: ${visible(path)}`
    }
    about={`${isInCertificates ? "Clients look for CRLs, OCSP and issuers there." : "ACME clients are sent there."} Change the URLs to those of this mount.`}
    to={to}
    action="Change URLs"
  />
);

function Item({
  tone,
  title,
  about,
  to,
  action,
}: {
  tone: "warn" | "danger";
  title: string;
  about: ComponentChildren;
  to: string;
  action: string;
}): JSX.Element {
  return (
    <li>
      <Icon name="warn" tone={tone} />
      <div>
        <b>{title}</b>
        <p class="small muted">{about}</p>
      </div>
      <a class="btn tiny" href={to}>
        {action}
      </a>
    </li>
  );
}
