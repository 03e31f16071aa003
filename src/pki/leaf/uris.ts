import { CaError } from "../../base/errors.ts";
import { excerpt } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import type { Case } from "../request/case.ts";
import { readValue } from "../request/judge.ts";
import type { SigningRequest } from "../request/request.ts";
import { uriVerdict } from "../request/verdict.ts";
import type { NameRequest } from "./asked.ts";

const denied = (why: string) => new CaError("name_not_allowed", why);

/** The URIs of the CSR, or of the body without one, each once, as the role allows them. */
export function judgeUris(
  { input, judge }: Pick<Case<Pick<NameRequest, "uri_sans">>, "input" | "judge">,
  allowed: readonly string[],
  csr: SigningRequest | undefined,
): readonly string[] {
  const asked = csr ? csr.names.uri : input.uri_sans.filter(Boolean);
  if (asked.length === 0) return asked;
  const rule = "allowed_uri_sans";
  const via = csr ? "CSR" : "the API";
  const valid = asked.filter((uri) => {
    judge.demand(rule, uri, allowed.length > 0, () =>
      denied(
        `URI Subject Alternative Names are not allowed in this role, but were provided via ${via}`,
      ),
    );
    judge.demand(rule, uri, uriVerdict(allowed, uri).allowed, () =>
      denied(
        `URI Subject Alternative Names were provided via ${via} which are not valid for this role`,
      ),
    );
    return readValue(
      judge,
      { rule, input: uri },
      () => checkUri(uri),
      () => false,
    );
  });
  return [...new Set(valid)];
}

/**
 * Refuses a URI that may not stand in a certificate: one is absolute, and more than a scheme (RFC
 * 5280 section 4.2.1.6); one of the web names a host.
 */
export function checkUri(uri: string): true {
  const host = uriHost(uri);
  if (host === undefined || uri.endsWith(":") || (host === "" && /^https?:/i.test(uri)))
    throw denied(`the provided URI Subject Alternative Name "${excerpt(uri)}" is not a valid URI`);
  return true;
}
