import { isIP } from "node:net";
import {
  RefusedError,
  type IssueInput,
  type IssueReply,
  type PkiClient,
} from "../../src/client/index.ts";
import type { Order } from "./certificate-files.ts";
import { describeError } from "./failure.ts";
import { asciiHost } from "./host-form.ts";
import { LaunchError } from "../settings/launch-error.ts";

const isAddress = (name: string): boolean => isIP(name) !== 0;
const isUri = (name: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
/**
 * Reports whether a role could allow a name as the common name, which can be a host name or an IPv4
 * address.
 */
const isCommonName = (name: string): boolean => isIP(name) !== 6 && !isUri(name);

/**
 * Requests a certificate with a new key. Internationalized host names are requested in ASCII form.
 * The common name is the first name that is valid as one, unless it is an IP address that the role
 * allows only as a subject alternative name. Otherwise the certificate has no common name.
 */
export async function requestCertificate(
  pki: PkiClient,
  order: Pick<Order, "mount" | "role" | "names" | "ttl">,
): Promise<IssueReply> {
  const { role, ttl } = order;
  const names = order.names.map(asciiHost);
  const common_name = names.find(isCommonName);
  const others = names.filter((name) => name !== common_name);
  const input = {
    role,
    alt_names: others.filter((name) => !isAddress(name) && !isUri(name)).join(","),
    ip_sans: names.filter(isAddress),
    uri_sans: others.filter(isUri),
    private_key_format: "pkcs8" as const,
    ...(ttl === undefined ? {} : { ttl }),
  };
  return explainNames(order, issue(pki, input, common_name));
}

async function issue(
  pki: PkiClient,
  input: IssueInput,
  common_name: string | undefined,
): Promise<IssueReply> {
  if (common_name === undefined) return pki.issue(input);
  try {
    return await pki.issue({ ...input, common_name });
  } catch (error) {
    const isName = error instanceof RefusedError && error.code === "name_not_allowed";
    if (!isName || !isAddress(common_name)) throw error;
    // many roles, such as the role that init creates, allow addresses only as alternative names
    return pki.issue(input).catch(() => Promise.reject(error));
  }
}

/**
 * Extends the error about a name that a role does not allow with the commands that show and
 * replace the allowed names.
 */
export async function explainNames<T>(
  { mount, role }: Pick<Order, "mount" | "role">,
  reply: Promise<T>,
): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "name_not_allowed") throw error;
    const at = `${mount}/roles/${role}`;
    throw new LaunchError(
      `${String(describeError(error))} sealwright get ${at} shows the names that the role allows; sealwright patch ${at} allowed_domains=… replaces them.`,
      { cause: error },
    );
  }
}
