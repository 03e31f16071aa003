import type { JSX } from "preact";
import { parseCidr } from "../../../src/x509/address.ts";
import { findExtension } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { useApiNames } from "../api-names.tsx";
import { Lines } from "../field.tsx";
import { lazy } from "../lazy.tsx";

const kinds = [
  ["dns_domains", "Domains", "example.org"],
  ["ip_ranges", "IP ranges", "10.0.0.0/8"],
  ["email_addresses", "Email addresses, hosts or domains", ".example.org"],
  ["uri_domains", "URI hosts", ".example.org"],
] as const;

/** Name constraints as entered by the user, by API name. */
export type ConstraintInput = Readonly<Record<string, string>>;

/** Returns the name constraints that are not empty, as request fields. */
export function constraintsFrom(
  typed: ConstraintInput,
): Readonly<Record<string, readonly string[]>> {
  const lists = Object.entries(typed).map(
    ([name, text]) => [name, text.split(/[\s,]+/).filter(Boolean)] as const,
  );
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

/**
 * Returns the validation errors of the name constraints, by field. Checks only IP ranges; the
 * server checks the rest.
 */
export function wrongConstraints(typed: ConstraintInput): ConstraintInput {
  const ranges = Object.entries(constraintsFrom(typed)).filter(([name]) =>
    name.endsWith("_ip_ranges"),
  );
  const wrongRanges = ranges.map(
    ([name, list]) => [name, list.find((range) => !parseCidr(range))] as const,
  );
  return Object.fromEntries(
    wrongRanges.flatMap(([name, range]) =>
      range === undefined ? [] : [[name, `${range}: not a range. Use a form such as 10.0.0.0/8`]],
    ),
  );
}

/**
 * The fields for the name constraints of a CA: names that certificates below the CA may or must not
 * contain.
 */
export function ConstraintFields({
  typed,
  change,
  errors,
}: {
  typed: ConstraintInput;
  change: (typed: ConstraintInput) => void;
  errors: ConstraintInput;
}): JSX.Element {
  const named = useApiNames();
  return (
    <details>
      <summary>Name constraints</summary>
      <div class="stack close">
        <p class="small muted">
          Constraints are part of the certificate and cannot be changed later. Once a kind of name
          has a permitted entry, all other names of that kind are rejected. Enter one entry per
          line.
        </p>
        {(["permitted", "excluded"] as const).map((side) => (
          <fieldset key={side} class="field">
            <legend>{side === "permitted" ? "Permitted" : "Excluded"}</legend>
            <div class="pair">
              {kinds.map(([kind, words, example]) => {
                const name = `${side}_${kind}`;
                return (
                  <Lines
                    key={name}
                    label={words}
                    rows={2}
                    value={typed[name] ?? ""}
                    change={(value) => change({ ...typed, [name]: value })}
                    placeholder={example}
                    mono
                    hint={named && <code>{name}</code>}
                    error={errors[name]}
                  />
                );
              })}
            </div>
          </fieldset>
        ))}
      </div>
    </details>
  );
}

const ConstraintCard = lazy(async () => (await import("./constraint-card.tsx")).ConstraintCard);

/** The name constraints in a certificate, if any. */
export function Constraints({ view }: { view: CertificateView }): JSX.Element | null {
  const extension = findExtension(view, extensionOid.nameConstraints);
  return extension ? <ConstraintCard of={extension} /> : null;
}
