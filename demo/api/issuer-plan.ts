import type { RootFields } from "../../src/client/pki.ts";
import { maySignAuthorities } from "./path-length.ts";
import type { Authority } from "./issuer.ts";
import type { Subject } from "./new-issuer.ts";

/** Special values of `signer`: the new CA signs itself, or an external CA signs it. */
export const [itself, elsewhere] = ["", "elsewhere"];

/** The user's choices for a new CA. */
export interface Plan {
  /** ID of the issuing CA, `itself` or `elsewhere`. */
  readonly signer: string;
  readonly key: string;
  /** A duration, a number of years such as `25y`, or `until`. */
  readonly ttl: string;
  /** Last day of validity, such as `2031-12-31`. */
  readonly until: string;
  /**
   * Digest size in bits for the self-signature of an RSA root, with the prefix `pss ` for RSA-PSS.
   */
  readonly scheme: string;
  /** The path length constraint; -1 if there is none. */
  readonly below: string;
  /** The attributes of the subject, other than the common name, as entered. */
  readonly subject: Readonly<Record<string, string>>;
}

/** A template: initial values for a plan. */
export type Template = readonly [id: string, title: string, about: string, plan: Partial<Plan>];

/**
 * Returns the templates that suit the existing CAs. `signer` is the ID of the CA that the templates
 * for intermediate CAs select.
 */
export function templatesFor(
  all: readonly Authority[],
  signer = all.find(maySignAuthorities)?.record.issuer_id,
): readonly Template[] {
  const below: readonly Template[] =
    signer === undefined
      ? []
      : [
          [
            "issuing",
            "Issuing CA",
            "Signs certificates for servers, clients and people: the usual choice. Valid for five years.",
            { signer, key: "ec 256", ttl: "43800h", below: "0" },
          ],
          [
            "intermediate",
            "Intermediate CA",
            "Signs other CAs, so that the root can be kept offline. Valid for ten years.",
            { signer, key: "ec 384", ttl: "87600h", below: "1" },
          ],
        ];
  return [
    ...below,
    [
      "root",
      "Root",
      "Self-signed, valid for ten years. Clients must be configured to trust it.",
      { signer: itself, key: "ec 384", ttl: "87600h", below: "-1" },
    ],
    [
      "request",
      "Signed by an external CA",
      "Generates a key here and a CSR for another CA, such as an offline root.",
      { signer: elsewhere, key: "ec 384" },
    ],
  ];
}

/** Returns the plan of a template. */
export const planOf = (template: Template | undefined): Plan => ({
  signer: itself,
  key: "ec 256",
  ttl: "87600h",
  until: "",
  scheme: "256",
  below: "-1",
  subject: {},
  ...template?.[3],
});

/** The attributes of the subject, other than the common name. */
export const subjectFields = [
  ["organization", "Organization"],
  ["ou", "Organizational unit"],
  ["country", "Country"],
  ["province", "Province"],
  ["locality", "Locality"],
] as const;

/** Returns the subject as API fields, without empty attributes. */
export const subjectOf = ({ subject }: Plan): Subject =>
  Object.fromEntries(
    subjectFields.flatMap(([name]) => {
      const value = subject[name]?.trim();
      return value ? [[name, [value]]] : [];
    }),
  );

/** Returns the errors of a plan by field. */
export function wrongPlan(
  { signer, ttl, until, subject }: Plan,
  now: Date,
): Record<string, string> {
  const country = subject["country"]?.trim() ?? "";
  const ends = Date.parse(`${until}T23:59:59Z`);
  const timed = signer !== elsewhere && ttl === "until";
  return {
    ...(country !== "" &&
      !/^[A-Za-z]{2}$/.test(country) && { country: `${country}: use two letters, such as SE` }),
    ...(timed && !(ends > now.getTime()) && { until: "Choose a future date" }),
  };
}

/**
 * Reports whether the signature algorithm can be chosen. Only roots with RSA keys have a choice.
 */
export const choosesScheme = ({ signer, key }: Plan): boolean =>
  signer === itself && key.startsWith("rsa");

/** Returns the signature algorithm of a root as API fields. */
export const signatureOf = (plan: Plan): Pick<RootFields, "signature_bits" | "use_pss"> => {
  if (!choosesScheme(plan)) return {};
  const bits = ([256, 384, 512] as const).find((bits) => plan.scheme.endsWith(String(bits)));
  return { signature_bits: bits, use_pss: plan.scheme.startsWith("pss") };
};

/**
 * Returns the validity as API fields. A number of years becomes a date, because the mount's maximum
 * limits only durations.
 */
export function validityOf(
  { ttl, until }: Plan,
  now: Date,
): { readonly ttl: string } | { readonly not_after: string } {
  if (ttl === "until") return { not_after: `${until}T23:59:59Z` };
  const years = /^(\d+)y$/.exec(ttl)?.[1];
  if (years === undefined) return { ttl };
  const end = new Date(now);
  end.setUTCFullYear(now.getUTCFullYear() + Number(years));
  return { not_after: end.toISOString().replace(/\.\d+Z$/, "Z") };
}
