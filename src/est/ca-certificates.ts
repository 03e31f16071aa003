import { certsOnly } from "../archive/pkcs7.ts";
import type { Mount } from "../engine/mount.ts";
import { chainRows, getIssuer } from "../pki/issuer/issuer.ts";
import { defaultRole, roleOf } from "../pki/leaf/role.ts";
import type { RawReply } from "../wire/endpoint.ts";
import { certificatesType, inBase64 } from "./answer.ts";
import { rulesOf, type EstPath } from "./policy.ts";

/** The chain of the issuer that signs by a path, itself first (RFC 7030 section 4.1). */
export async function caCertificates(ca: Mount, named: EstPath): Promise<RawReply> {
  const config = await ca.config();
  const rules = rulesOf(config.est, named);
  const role = rules.role === undefined ? defaultRole : await roleOf(config, rules.role);
  const issuer = getIssuer(config, role.issuer_ref);
  const chain = chainRows(config, issuer).map(({ der }) => der);
  return inBase64(certificatesType, certsOnly(chain));
}
