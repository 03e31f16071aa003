import { CaError } from "../../base/errors.ts";
import {
  keys,
  usages,
  type IssuerId,
  type IssuerRow,
  type NotAfterBehavior,
  type UrlSet,
  type Usage,
} from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { schemeFits, schemeFromName, schemeName, schemeNames } from "../../x509/algorithm.ts";
import { parsePublicKey } from "../../x509/spki.ts";
import { flag, list, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { crlSets } from "../revocation/crl-set.ts";
import { certificateOf, findIssuer, demandIssuer } from "../issuer/issuer.ts";
import { issuerOutput, issuerReply, warnOfPss } from "./issuers.ts";
import { checkIssuerName, issuerRows, maySignCrls } from "../issuer/new-issuer.ts";
import { storedRole } from "../leaf/role.ts";
import { checkUrls, urlsFor } from "../issuer/urls.ts";

/** The writable fields of an issuer (A 3.7). */
const issuerFields = {
  issuer_name: text.optional("Its name."),
  leaf_not_after_behavior: text.optional(
    "What happens to certificates that would outlive it: `err`, `truncate`, `permit`, `always_enforce_err`.",
  ),
  manual_chain: list.optional(
    "Its chain as references, itself (`self`) first; empty for the automatic chain.",
  ),
  usage: list.optional(
    "What it may be used for: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`.",
  ),
  revocation_signature_algorithm: text.optional(
    "How its CRLs and OCSP answers are signed, such as `SHA256WithRSAPSS`; empty for the key's default.",
  ),
  issuing_certificates: list.optional("Its own addresses of the certificate."),
  crl_distribution_points: list.optional("Its own addresses of the CRL."),
  delta_crl_distribution_points: list.optional("Its own addresses of the delta CRL."),
  ocsp_servers: list.optional("Its own addresses of OCSP responders."),
  enable_aia_url_templating: flag.optional("Whether these addresses hold placeholders."),
  disable_critical_extension_checks: flag.optional(
    "Issue below it though its certificate, or a leaf of sign-verbatim, has critical extensions that are not known.",
  ),
  disable_path_length_checks: flag.optional(
    "Issue below it though its path length does not allow it.",
  ),
  disable_name_checks: flag.optional("Issue below it though names along the chain do not follow."),
  disable_name_constraint_checks: flag.optional(
    "Issue names that the constraints of its chain forbid.",
  ),
} as const;
type Fields = Omit<Input<typeof issuerFields, "POST /issuer/x">, never>;

const declared = {
  access: "token",
  style: envelope,
  body: issuerFields,
  reply: issuerReply,
  refuses: ["unknown_issuer", "malformed", "already_exists"],
} as const;

export const writeIssuer = endpoint({
  ...declared,
  id: "writeIssuer",
  at: ["POST /issuer/:issuer_ref"],
  doc: "Sets every writable field of an issuer; what is not sent takes its default.",
  run: (ca, { issuer_ref, ...input }, caller) =>
    ca.configure(
      async (config) => {
        const row = demandIssuer(config, issuer_ref);
        const { issuer_name, ...rest } = input;
        const given = {
          ...cleared,
          ...defined(rest),
          ...(caller.sent.has("issuer_name")
            ? { issuer_name: checkIssuerName(config, issuer_name ?? "", row.id) }
            : { issuer_name: "" }),
        };
        return saved(ca, config, row, given, caller);
      },
      { exact: true },
    ),
});

export const patchIssuer = endpoint({
  ...declared,
  id: "patchIssuer",
  at: ["PATCH /issuer/:issuer_ref"],
  doc: "Sets the fields of an issuer that are sent.",
  run: (ca, { issuer_ref, ...input }, caller) =>
    ca.configure(
      async (config) => {
        const row = demandIssuer(config, issuer_ref);
        const { issuer_name, ...rest } = input;
        const named =
          issuer_name === undefined
            ? {}
            : {
                issuer_name:
                  issuer_name.trim() === "" ? "" : checkIssuerName(config, issuer_name, row.id),
              };
        return saved(ca, config, row, { ...defined(rest), ...named }, caller);
      },
      { exact: true },
    ),
});

/** What a POST gives to a field that was not sent. */
const cleared: Required<Omit<{ [K in keyof Fields]: NonNullable<Fields[K]> }, "issuer_name">> = {
  leaf_not_after_behavior: "err",
  manual_chain: [],
  usage: usages,
  revocation_signature_algorithm: "",
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
  enable_aia_url_templating: false,
  disable_critical_extension_checks: false,
  disable_path_length_checks: false,
  disable_name_checks: false,
  disable_name_constraint_checks: false,
};
const defined = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

type Given = { readonly [K in keyof Fields]?: Fields[K] | undefined };
async function saved(
  ca: Parameters<typeof issuerRows>[0],
  config: Snapshot,
  row: IssuerRow,
  given: Given,
  caller: Caller,
) {
  const next = await changed(ca, config, row, given, caller);
  const rows = await issuerRows(ca, config, [next]);
  warnOfPss(next, caller);
  if (next.name !== row.name) {
    const roles = await rolesNaming(ca, row.name);
    if (roles.length >= maxRoleHits)
      caller.warn(`The name ${row.name} was in use by at least ${roles.length} roles`);
    else if (roles.length)
      caller.warn(`${roles.length} roles reference ${row.name}: ${roles.join(", ")}`);
  }
  const shown = {
    ...config,
    issuers: new Map([...config.issuers, ...rows.flatMap(([, value]) => issuerIn(value))]),
  };
  return { reply: issuerOutput(shown, shown.issuers.get(row.id) ?? next), batch: { put: rows } };
}
const issuerIn = (value: unknown): readonly (readonly [IssuerId, IssuerRow])[] => {
  // issuerRows puts issuers, the default and jobs; an issuer is the one with a chain
  const row = value as IssuerRow;
  return Array.isArray(row.chain) ? [[row.id, row]] : [];
};

async function changed(
  ca: Parameters<typeof issuerRows>[0],
  config: Snapshot,
  row: IssuerRow,
  given: Given,
  caller: Caller,
): Promise<IssuerRow> {
  const name = given.issuer_name ?? row.name;
  const templating = given.enable_aia_url_templating ?? row.enable_aia_url_templating;
  const urls = urlsOf(row.urls, given, templating);
  const checks = {
    disable_critical_extension_checks:
      given.disable_critical_extension_checks ?? row.checks.disable_critical_extension_checks,
    disable_path_length_checks:
      given.disable_path_length_checks ?? row.checks.disable_path_length_checks,
    disable_name_checks: given.disable_name_checks ?? row.checks.disable_name_checks,
    disable_name_constraint_checks:
      given.disable_name_constraint_checks ?? row.checks.disable_name_constraint_checks,
  };
  const next: IssuerRow = {
    ...row,
    name,
    leaf_not_after_behavior:
      given.leaf_not_after_behavior === undefined
        ? row.leaf_not_after_behavior
        : readBehavior(given.leaf_not_after_behavior),
    manual_chain:
      given.manual_chain === undefined
        ? row.manual_chain
        : readChain(config, row, given.manual_chain),
    usage: given.usage === undefined ? row.usage : readUsage(row, given.usage),
    revocation_signature_algorithm:
      given.revocation_signature_algorithm === undefined
        ? row.revocation_signature_algorithm
        : readAlgorithm(row, given.revocation_signature_algorithm),
    urls,
    enable_aia_url_templating: templating,
    checks,
    modified: name === row.name ? row.modified : ca.ports.now(),
  };
  try {
    urlsFor(config, next);
  } catch (error) {
    caller.warn(`issuance may fail: ${error instanceof Error ? error.message : ""}`);
  }
  return next;
}

function urlsOf(held: UrlSet, given: Given, templating: boolean): UrlSet {
  const pick = (name: keyof UrlSet) => (given[name] ?? held[name]).filter((url) => url !== "");
  const urls = {
    issuing_certificates: pick("issuing_certificates"),
    crl_distribution_points: pick("crl_distribution_points"),
    delta_crl_distribution_points: pick("delta_crl_distribution_points"),
    ocsp_servers: pick("ocsp_servers"),
  };
  for (const [name, value] of Object.entries(urls)) checkUrls(name, value, templating);
  return urls;
}

const behaviors: readonly NotAfterBehavior[] = ["err", "truncate", "permit", "always_enforce_err"];
function readBehavior(value: string): NotAfterBehavior {
  const known = behaviors.find((behavior) => behavior === value);
  if (!known)
    throw new CaError(
      "malformed",
      "Unknown value for field `leaf_not_after_behavior`. Possible values are `err`, `truncate`, `permit`, and `always_enforce_err`.",
    );
  return known;
}

function readUsage(row: IssuerRow, given: readonly string[]): readonly Usage[] {
  const wanted = new Set(given.map((value) => value.trim()).filter(Boolean));
  for (const value of wanted)
    if (!usages.some((usage) => usage === value))
      throw new CaError(
        "malformed",
        `Unable to parse specified usages: [${given.join(" ").slice(0, 256)}] - valid values are ${usages.join(", ")}`,
      );
  if (wanted.has("issuing-certificates") && row.revoked !== undefined)
    throw new CaError(
      "malformed",
      `This issuer was revoked; unable to modify its usage to include certificate signing again. Reissue this certificate (preferably with a new key) and modify that entry instead.`,
    );
  if (wanted.has("crl-signing") && !maySignCrls(certificateOf(row)))
    throw new CaError(
      "malformed",
      "This issuer's underlying certificate lacks the CRLSign KeyUsage value; unable to set CRLSigningUsage on this issuer as a result.",
    );
  return usages.filter((usage) => usage === "read-only" || wanted.has(usage));
}

function readAlgorithm(row: IssuerRow, value: string): string {
  if (value === "") return "";
  const scheme = schemeFromName(value);
  if (!scheme)
    throw new CaError(
      "malformed",
      `Unknown signature algorithm value: ${value.slice(0, 64)} - valid values are ${schemeNames.join(", ")}`,
    );
  if (!schemeFits(scheme, parsePublicKey(certificateOf(row).spki)))
    throw new CaError(
      "malformed",
      `the revocation signature algorithm ${schemeName(scheme)} does not fit the issuer's key`,
    );
  return schemeName(scheme);
}

/** A chain that was set by hand: references, the issuer itself first (A 3.7). */
function readChain(
  config: Snapshot,
  row: IssuerRow,
  given: readonly string[],
): readonly IssuerId[] {
  const references = given.map((ref) => ref.trim()).filter(Boolean);
  return references.map((ref, i) => {
    const found = i === 0 && ref === "self" ? row : findIssuer(config, ref);
    if (!found)
      throw new CaError(
        "unknown_issuer",
        `unable to find PKI issuer for reference: ${ref.slice(0, 256)}`,
      );
    if (i === 0 && found.id !== row.id)
      throw new CaError(
        "malformed",
        `expected first cert in chain to be a self-reference, but was: ${ref}/${found.id}`,
      );
    return found.id;
  });
}

const maxRoleHits = 10;
/** Roles that name an issuer, ten at most of the first hundred. */
async function rolesNaming(
  ca: Parameters<typeof issuerRows>[0],
  reference: string,
): Promise<readonly string[]> {
  if (reference === "") return [];
  const rows = await ca.store.list("role/", { limit: 100 });
  return rows
    .filter(([, row]) => storedRole(row.value).issuer_ref === reference)
    .map(([key]) => key.slice("role/".length))
    .slice(0, maxRoleHits);
}

export const deleteIssuer = endpoint({
  id: "deleteIssuer",
  at: ["DELETE /issuer/:issuer_ref"],
  access: "token",
  style: envelope,
  doc: "Deletes an issuer. Its key and its certificates stay.",
  body: {},
  reply: {},
  run: async (ca, input, caller) => {
    const sets = await ca.configure(
      async (config) => {
        const row = findIssuer(config, input.issuer_ref);
        if (!row) return { reply: [] };
        const wasDefault = config.issuersConfig.default === row.id;
        if (wasDefault)
          caller.warn(
            `Deleted issuer ${row.id} (via issuer_ref ${input.issuer_ref}); this was configured as the default issuer. Operations without an explicit issuer will not work until a new default is configured.`,
          );
        for (const reference of [row.name, row.id, ...(wasDefault ? ["default"] : [])]) {
          const roles = await rolesNaming(ca, reference);
          const count = roles.length < maxRoleHits ? roles.length : `At least ${roles.length}`;
          if (roles.length)
            caller.warn(`${count} roles reference ${reference}: ${roles.join(", ")}`);
        }
        const left = new Map([...config.issuers].filter(([id]) => id !== row.id));
        const without = {
          ...config,
          issuers: left,
          issuersConfig: wasDefault
            ? { ...config.issuersConfig, default: "" }
            : config.issuersConfig,
        };
        const rows = (await issuerRows(ca, without, [])).filter(
          ([key]) => key !== keys.config("issuers"),
        );
        const cleared = wasDefault
          ? [[keys.config("issuers"), { ...config.issuersConfig, default: "" }] as const]
          : [];
        return {
          reply: crlSets(without),
          batch: { put: [...rows, ...cleared], del: [keys.issuer(row.id)] },
        };
      },
      { exact: true },
    );
    await rebuildNow(ca, caller, sets);
    return null;
  },
});

export const deleteRoot = endpoint({
  id: "deleteRoot",
  at: ["DELETE /root"],
  access: "sudo",
  style: envelope,
  doc: "Deletes every issuer and every key of the mount. Issued certificates stay listed.",
  body: {},
  reply: {},
  run: async (ca, _, caller) => {
    await ca.configure(
      (config) => ({
        reply: undefined,
        batch: {
          del: [
            ...[...config.issuers.keys()].map(keys.issuer),
            ...[...config.keys.keys()].map(keys.key),
          ],
          put: [
            [keys.config("issuers"), { ...config.issuersConfig, default: "" }],
            [keys.config("keys"), { default: "" }],
          ],
        },
      }),
      { exact: true },
    );
    caller.warn("All keys and issuers were deleted.");
    return null;
  },
});
