import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { keyKinds } from "../../lib/key-types.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { wrongLifetime, type Lifetime } from "./issue-values.ts";
import type { PageKey, CsrNames } from "../../lib/x509/page-key.ts";
import { Choice, Text } from "../../ui/field.tsx";
import type { Role } from "../../api/pki.ts";
import { keyOf, lifetimes } from "../../lib/role-text.ts";
import { asError } from "../../lib/store.ts";
import { lasting, plain, roleSeconds } from "../../lib/format.ts";

const days = [
  ["24h", "1 day"],
  ["168h", "7 days"],
  ["720h", "30 days"],
  ["2160h", "90 days"],
  ["9528h", "397 days"],
  ["own", "Another lifetime…"],
  ["until", "Until a date…"],
] as const;

/**
 * Formats the default lifetime: `Role default (90 days)`; without a number if the mount determines
 * it.
 */
function roleDefault(role: Role): string {
  const standard = roleSeconds(role.ttl);
  return standard > 0 ? `Role default (${lasting(standard)})` : "Role default";
}

interface LifetimeProps {
  role: Role;
  value: Lifetime;
  change: (value: Lifetime) => void;
}

/** The lifetime of the certificate: a choice, a custom duration, or an expiry date. */
export function LifetimeField({ role, value, change }: LifetimeProps): JSX.Element {
  const wrong = wrongLifetime(value, new Date());
  return (
    <div class="stack close">
      <Choice
        label="Valid for"
        value={value.choice}
        change={(choice) => change({ ...value, choice })}
        options={[["", roleDefault(role)], ...days]}
        hint={lifetimes(role).join(", ")}
      />
      {value.choice === "own" && (
        <Text
          label="Lifetime"
          value={value.own}
          placeholder="45d"
          error={value.own === "" ? undefined : wrong || undefined}
          hint="A number and a unit: s, m, h or d"
          change={(own) => change({ ...value, own })}
        />
      )}
      {value.choice === "until" && (
        <div class="field">
          <label for="last-day">Last day, UTC</label>
          <input
            id="last-day"
            type="date"
            value={value.until}
            onChange={(event) => change({ ...value, until: event.currentTarget.value })}
          />
        </div>
      )}
    </div>
  );
}

/** Returns the key types that the page can generate for a role. */
function kindsFor(role: Role): readonly (readonly [kind: string, words: string])[] {
  const type = plain(role.key_type, "rsa");
  return type === "any" ? keyKinds : [[`${type} ${role.key_bits ?? 0}`, keyOf(role)]];
}

/** Chooses where the key is generated: on the server, or in this page, which never sends it. */
export function KeyField({
  role,
  kind,
  change,
}: {
  role: Role;
  /** Empty if the server generates it. */
  kind: string;
  change: (kind: string) => void;
}): JSX.Element {
  const kinds = kindsFor(role);
  const any = plain(role.key_type, "rsa") === "any";
  return (
    <Choice
      label="Key"
      value={kind}
      change={change}
      options={[
        ...(any ? [] : [["", `Made by the authority: ${keyOf(role)}`] as const]),
        ...kinds.map(([value, words]) => [value, `Made in this page: ${words}`] as const),
      ]}
      hint={
        kind === ""
          ? "Returned once and not stored."
          : "Generated in the browser; the server gets only a CSR."
      }
    />
  );
}

/** Returns the form's key type if the role accepts it, else the first accepted one. */
export function kindFor(role: Role, kind: string): string {
  const kinds = kindsFor(role).map(([value]) => value);
  if (kinds.includes(kind)) return kind;
  return plain(role.key_type, "rsa") === "any" ? (kinds[0] ?? "") : "";
}

/** The CSR and the key made by the page; absent until both exist. */
interface PageRequest {
  readonly csr?: string;
  readonly key?: PageKey;
  readonly failed?: Error;
}

const making = lazyLoad(() => import("../../lib/x509/page-key.ts"));

/** Generates a key and a CSR with it, again when the names change. */
export function usePageRequest(kind: string, wanted: CsrNames): PageRequest {
  const [key, setKey] = useState<{ of: string; key: PageKey }>();
  const [made, setMade] = useState<{ of: string; csr: string }>();
  const [failed, fail] = useState<{ of: string; error: Error }>();
  useEffect(() => {
    if (kind === "") return;
    let over = false;
    const make = async (): Promise<void> => {
      const { generatePageKey } = await making();
      const fresh = await generatePageKey(kind);
      if (!over) setKey({ of: kind, key: fresh });
    };
    make().catch((reason: unknown) => !over && fail({ of: kind, error: asError(reason) }));
    return () => void (over = true);
  }, [kind]);
  const current = key?.of === kind ? key.key : undefined;
  const of = JSON.stringify([kind, wanted]);
  useEffect(() => {
    if (!current) return;
    let over = false;
    const make = async (): Promise<void> => {
      const { makeCsr } = await making();
      const { pem } = await makeCsr(current, wanted);
      if (!over) setMade({ of, csr: pem });
    };
    make().catch((reason: unknown) => !over && fail({ of, error: asError(reason) }));
    return () => void (over = true);
  }, [current, of]);
  return {
    ...(current && { key: current }),
    ...(made?.of === of && { csr: made.csr }),
    ...((failed?.of === of || failed?.of === kind) && { failed: failed.error }),
  };
}
