import { CaError } from "../../base/errors.ts";
import { excerpt } from "../../base/names.ts";
import { inRange, ipToBytes, ipToText } from "../../x509/address.ts";
import type { Case } from "../request/case.ts";
import type { AddressRules } from "../request/names.ts";
import type { SigningRequest } from "../request/request.ts";
import type { NameRequest } from "./asked.ts";

const denied = (why: string) => new CaError("name_not_allowed", why);

/** The IP addresses of the CSR, or of the body without one, each once, as the role allows them. */
export function judgeAddresses(
  { input, judge }: Pick<Case<Pick<NameRequest, "ip_sans">>, "input" | "judge">,
  { allow_ip_sans: allowed, allowed_ip_sans_cidr: ranges }: AddressRules,
  csr: SigningRequest | undefined,
): readonly string[] {
  const asked = csr ? csr.names.ip : input.ip_sans.filter(Boolean);
  if (asked.length === 0) return asked;
  const ips = asked.flatMap((text) => {
    const bytes = ipToBytes(text);
    if (bytes) return ipToText(bytes);
    const why = `the value "${excerpt(text)}" is not a valid IP address`;
    judge.demand("allow_ip_sans", text, false, () => denied(why));
    return [];
  });
  for (const ip of ips) {
    judge.demand("allow_ip_sans", ip, allowed, () =>
      denied(
        `IP Subject Alternative Names are not allowed in this role, but was provided via ${csr ? "CSR" : "the API"}`,
      ),
    );
    if (ranges.length > 0)
      judge.demand(
        "allowed_ip_sans_cidr",
        ip,
        ranges.some((range) => inRange(ip, range)),
        () => denied(`the IP address "${ip}" is not allowed in this role`),
      );
  }
  return [...new Set(ips)];
}
