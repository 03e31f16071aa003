import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Life } from "../lib/lifetime.ts";
import { purposesOf, type CertificateView } from "../lib/x509/decode.ts";
import { disguise } from "../lib/lookalike.ts";
import { Button } from "./button.tsx";
import { Code } from "./code.tsx";
import { Digits } from "./digits.tsx";
import { Filter } from "./field.tsx";
import { Badge } from "./icon.tsx";
import { lazy } from "./lazy.tsx";
import { LifeBadge, LifeBar, lifeTone, Moment } from "./life-state.tsx";
import { Facts, Heading } from "./page.tsx";
import { Seal } from "./seal.tsx";
import { Tabs } from "./tabs.tsx";

/** A name with possible line breaks after each dot and @. */
function Dotted({ name }: { name: string }): JSX.Element {
  return (
    <>
      {name.split(/(?<=[.@])/).map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** Maximum number of names that are shown initially. The user can expand the list. */
const maxNames = 12;

function Names({ of }: { of: CertificateView["names"] }): JSX.Element | null {
  const [all, show] = useState(false);
  const [searchText, seek] = useState("");
  if (of.length === 0) return null;
  const matches = of.filter(({ value }) => value.includes(searchText.trim().toLowerCase()));
  const many = of.length > maxNames;
  return (
    <>
      {all && <Filter label={`Filter ${of.length} names`} value={searchText} change={seek} />}
      <div class="chips">
        {(all ? matches : of.slice(0, maxNames)).map(({ kind, value }) => (
          <span key={kind + value} class="badge mono">
            {kind !== "DNS" && `${kind} `}
            {value}
          </span>
        ))}
        {many && (
          <Button tiny press={() => (show(!all), seek(""))}>
            {all ? "Show fewer" : `${of.length - maxNames} more names`}
          </Button>
        )}
      </div>
    </>
  );
}

/** Warnings about names that can deceive readers. */
export function DisguiseWarnings({ names }: { names: readonly string[] }): JSX.Element {
  const warnings = [...new Set(names)].flatMap((name) => {
    const warning = disguise(name);
    return warning ? [[name, warning] as const] : [];
  });
  return (
    <>
      {warnings.map(
        ([name, { letters, like }]) =>
          (letters !== "" || like !== "") && (
            <p key={name} class="small break">
              <code>{name}</code>
              {letters !== "" && (
                <>
                  {" "}
                  reads <bdi>{letters}</bdi>
                </>
              )}
              {like !== "" && (
                <span class="tone-warn">
                  {letters === "" ? "" : "."} It looks like {like}
                </span>
              )}
            </p>
          ),
      )}
      {warnings.some(([, { mixed }]) => mixed) && (
        <p class="small tone-warn">
          A name mixes letters from several scripts. Check it letter by letter.
        </p>
      )}
    </>
  );
}

/** Returns the type of a certificate in words. */
export function sort(view: CertificateView): string {
  const uses = purposesOf(view).join(" ");
  if (view.authority) return view.selfIssued ? "Root certificate" : "CA certificate";
  if (/server/i.test(uses)) return "TLS server certificate";
  if (/client/i.test(uses)) return "TLS client certificate";
  if (/email/i.test(uses)) return "S/MIME certificate";
  return /code/i.test(uses) ? "Code signing certificate" : "Certificate";
}

/** The summary of a certificate: title, state, names, lifetime and actions. */
export function CertificateCard({
  view,
  state,
  isRenewed = false,
  about,
  actions,
}: {
  view: CertificateView;
  state: Life;
  /** Whether a later certificate renews this one. */
  isRenewed?: boolean;
  about: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  const tone = lifeTone(state);
  return (
    <article class="card cert" aria-label={view.title}>
      <div class="crest">
        <div>
          <span class="state">
            {isRenewed && state !== "revoked" ? (
              <Badge mark="cycle">Renewed</Badge>
            ) : (
              <LifeBadge of={state} loud />
            )}
          </span>
          <Heading title={view.title}>
            <Dotted name={view.title} />
          </Heading>
          <p class="muted">{about}</p>
        </div>
        <Seal sha256={view.sha256} tone={tone || (view.selfIssued ? "root" : "")} />
        <div class="also">
          <Names of={view.names} />
          <DisguiseWarnings names={[view.title, ...view.names.map(({ value }) => value)]} />
        </div>
      </div>
      <LifeBar begins={view.begins} ends={view.ends} now={new Date()} />
      {actions && <footer class="actions">{actions}</footer>}
    </article>
  );
}

/** The fields of a certificate, the most useful ones first. */
export function CertificateFacts({
  view,
  more = [],
}: {
  view: CertificateView;
  more?: readonly (readonly [string, ComponentChildren])[];
}): JSX.Element {
  return (
    <Facts
      rows={[
        ["Subject", view.subject || "Empty"],
        ["Issuer", view.issuer],
        ["Serial number", <Digits of={view.serial} copy="the serial number" />, true],
        ["SHA-256 fingerprint", <Digits of={view.sha256} copy="the SHA-256 fingerprint" />, true],
        [
          "Valid",
          <>
            <Moment at={view.begins} /> to <Moment at={view.ends} />
          </>,
        ],
        ["Key", view.key],
        ["Signature", view.signature],
        ...more,
      ]}
    />
  );
}

/** The table of a certificate's extensions, whose code is loaded on first use. */
export const Extensions = lazy(async () => (await import("./extension-table.tsx")).ExtensionTable);

/** Details, extensions and PEM of a certificate in tabs. */
export function Contents({
  view,
  more = [],
  panels = [],
}: {
  view: CertificateView;
  more?: readonly (readonly [string, ComponentChildren])[];
  panels?: readonly (readonly [string, () => ComponentChildren])[];
}): JSX.Element {
  return (
    <section class="card" aria-label="Contents">
      <Tabs
        label="Contents"
        panels={[
          ["Details", () => <CertificateFacts view={view} more={more} />],
          ["Extensions", () => <Extensions of={view.extensions} />],
          [
            "PEM",
            () => (
              <div class="pad">
                <Code text={view.pem} label="Certificate as PEM" />
              </div>
            ),
          ],
          ...panels,
        ]}
      />
    </section>
  );
}

interface Link {
  readonly view: CertificateView;
  readonly note: string;
  readonly to?: string;
  readonly tone?: string;
}

/** The certificates from the root down to the current one. */
export function Chain({ links }: { links: readonly Link[] }): JSX.Element {
  return (
    <ol class="chain pad">
      {links.map(({ view, note, to, tone }, i) => (
        <li key={view.sha256}>
          <Seal
            sha256={view.sha256}
            tone={tone || (i === 0 && view.selfIssued ? "root" : "")}
            size={40}
          />
          <div>
            <b>{to ? <a href={to}>{view.title}</a> : view.title}</b>
            <p class="small muted">{note}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}
