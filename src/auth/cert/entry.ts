import { cert } from "../types/cert.ts";
import { malformed } from "../../base/errors.ts";
import { listForm } from "../../base/forms.ts";
import { isOid } from "../../base/der.ts";
import { decodePem } from "../../base/pem.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { urlFault } from "../../net/url-fault.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { withNormalForm, list, text, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { findExtension, isCa, parseCertificate } from "../../x509/certificate.ts";
import { extensionOid } from "../../x509/oid.ts";
import { extKeyUsageOid, readExtKeyUsage } from "../../x509/usage.ts";
import {
  deleteRoleEndpoint,
  listRolesEndpoint,
  readRoleEndpoint,
} from "../method/role-endpoints.ts";
import { changeStoredRole, roleNamed, type RoleKind } from "../method/roles.ts";
import {
  plainTokens,
  tokenFields,
  tokenReply,
  tokenSettingsOf,
  withTokenFields,
  type TokenSettings,
} from "../method/token-fields.ts";
import {
  ocspFields,
  ocspReply,
  plainOcsp,
  respondersIn,
  withOcspFields,
  type OcspSettings,
} from "./ocsp-settings.ts";

const lists = {
  allowed_names: "Accepted common names, DNS names and email addresses; one must match.",
  allowed_common_names: "Accepted common names; one must match.",
  allowed_dns_sans: "Accepted DNS names; one must match.",
  allowed_email_sans: "Accepted email addresses; one must match.",
  allowed_uri_sans: "Accepted URIs; one must match.",
  allowed_organizational_units: "Accepted organizational units; one must match.",
  required_extensions: "Required extensions: `<oid>:<text>`, or `hex:<oid>:<hexadecimal value>`.",
} as const;
type Lists = { readonly [K in keyof typeof lists]: readonly string[] };
const listNames = [
  "allowed_names",
  "allowed_common_names",
  "allowed_dns_sans",
  "allowed_email_sans",
  "allowed_uri_sans",
  "allowed_organizational_units",
  "required_extensions",
] as const;

/** A stored role: the accepted client certificates, and the settings of their tokens. */
export interface CertificateRole extends TokenSettings, OcspSettings, Lists {
  /** CA certificates, or a single client certificate (PEM). */
  readonly certificate: string;
  readonly display_name: string;
}
/** The roles of certificate login methods. */
export const certificateRoles: RoleKind<CertificateRole> = {
  below: cert.rows.certificates,
  read: rowReader<CertificateRole>({
    ...plainTokens,
    ...plainOcsp,
    certificate: "",
    display_name: "",
    allowed_names: [],
    allowed_common_names: [],
    allowed_dns_sans: [],
    allowed_email_sans: [],
    allowed_uri_sans: [],
    allowed_organizational_units: [],
    required_extensions: [],
  }),
};

/** Returns the trust anchors of a role in DER. */
export const trustedBy = ({ certificate }: CertificateRole): readonly Uint8Array[] =>
  decodePem(certificate).map(({ der }) => der);

/**
 * A required extension. Its value must match the pattern `text`, or equal `hex` if the requirement
 * is in hexadecimal.
 */
export interface RequiredExtension {
  readonly oid: string;
  readonly text?: string;
  readonly hex?: string;
}
/** Parses a required extension. Returns undefined if it is malformed. */
export function parseRequiredExtension(requirement: string): RequiredExtension | undefined {
  const [, hex, oid = "", value = ""] = /^(hex:)?([\d.]+):(.*)$/s.exec(requirement) ?? [];
  if (!isOid(oid)) return undefined;
  if (hex === undefined) return { oid, text: value };
  return /^(?:[0-9a-f]{2})+$/i.test(value) ? { oid, hex: value.toLowerCase() } : undefined;
}
/** Normalizes a required extension. Returns malformed input unchanged. */
function extensionForm(requirement: string): string {
  const demanded = parseRequiredExtension(requirement);
  return demanded?.hex === undefined ? requirement : `hex:${demanded.oid}:${demanded.hex}`;
}

function check(role: CertificateRole): void {
  const blocks = role.certificate === "" ? [] : decodePem(role.certificate);
  if (blocks.length === 0 || blocks.some(({ label }) => label !== "CERTIFICATE"))
    throw malformed("failed to parse certificate: it must contain certificates in PEM");
  if (blocks.length > 100) throw malformed("certificate must contain at most 100 certificates");
  for (const { der } of blocks) {
    const one = parseCertificate(der);
    const uses = findExtension(one, extensionOid.extKeyUsage);
    const client = ["ClientAuth", "Any"].map(extKeyUsageOid);
    if (!isCa(one) && uses && !readExtKeyUsage(uses.value).some((oid) => client.includes(oid)))
      throw malformed(
        "nonCA certificates should have TLS client authentication set as an extended key usage",
      );
  }
  respondersIn(role.ocsp_ca_certificates);
  const faults = role.ocsp_servers_override.map((url) => urlFault(url, true));
  const fault = faults.find((one) => one !== undefined);
  if (fault !== undefined) throw malformed(`ocsp_servers_override ${fault}`);
  if (role.ocsp_max_retries < 0 || role.ocsp_max_retries > 10)
    throw malformed("ocsp_max_retries must be between 0 and 10");
  const odd = role.required_extensions.find((requirement) => !parseRequiredExtension(requirement));
  if (odd !== undefined)
    throw malformed(`required_extensions: expected <oid>:<text>, got ${odd.slice(0, 64)}`);
}

type ListFields<R extends "required" | "optional"> = {
  readonly [K in keyof Lists]: ReturnType<(typeof list)[R]>;
};
// `lists` has a description for each member
const listFields = <R extends "required" | "optional">(how: R): ListFields<R> =>
  Object.fromEntries(
    Object.entries(lists).map(([name, about]) => [
      name,
      name === "required_extensions"
        ? withNormalForm(list, listForm(extensionForm))[how](about)
        : list[how](`${about} \`*\` matches any characters.`),
    ]),
  ) as ListFields<R>;
const texts = {
  certificate:
    "CA certificates (PEM) used to verify client certificates, or a single client certificate.",
  display_name: "Display name of the role's tokens; by default, the role name.",
} as const;
const reply = {
  certificate: text.required(texts.certificate),
  display_name: text.required(texts.display_name),
  ...listFields("required"),
  ...ocspReply,
  ...tokenReply,
} as const;
const roleOutput = (role: CertificateRole, name: string): Parsed<typeof reply> => ({
  ...role,
  // rows of earlier versions may have an empty display name
  display_name: role.display_name || name,
  ...tokenSettingsOf(role),
});

const roles = { kind: certificateRoles, path: "/certs" } as const;
export const listLoginCerts = listRolesEndpoint("listLoginCerts", roles);

export const readLoginCert = readRoleEndpoint("readLoginCert", roles, { reply, shown: roleOutput });

export const writeLoginCert = methodEndpoint({
  id: "writeLoginCert",
  at: ["POST /certs/:name"],
  access: "token",
  style: envelope,
  doc: "Creates a role, or updates the given fields of an existing role.",
  body: {
    certificate: text.optional(texts.certificate),
    display_name: text.optional(texts.display_name),
    ...listFields("optional"),
    ...ocspFields,
    ...tokenFields,
  },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async (method, { name, ...changes }) => {
    await changeStoredRole(method, certificateRoles, name, (current) => {
      const old = current ?? certificateRoles.read({ display_name: roleNamed(name) });
      // `listFields` validated the types
      const sent = Object.fromEntries(
        listNames.map((field) => [field, changes[field] ?? old[field]]),
      ) as unknown as Lists;
      const role: CertificateRole = {
        ...withTokenFields(old, changes),
        ...withOcspFields(old, changes),
        ...sent,
        certificate: changes.certificate ?? old.certificate,
        display_name: (changes.display_name ?? old.display_name) || roleNamed(name),
      };
      check(role);
      return role;
    });
    return undefined;
  },
});

export const deleteLoginCert = deleteRoleEndpoint("deleteLoginCert", roles);
