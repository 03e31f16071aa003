import type { CsrView } from "../../lib/x509/decode.ts";
import type { Step } from "../../lib/issuance-findings.ts";
import type { Role } from "../../lib/role.ts";
import type { IssueFields, SignFields } from "../../api/certificates.ts";
import { kindFor, usePageRequest } from "./issue-fields.tsx";
import {
  besideRequest,
  lifetimeFields,
  namesAndSubject,
  requestedNames,
  wrongLifetime,
} from "./issue-values.ts";
import type { Typed } from "./draft.ts";
import type { PageKey } from "../../lib/x509/page-key.ts";
import { verdictOnKey, verdictOnLifetime, verdictOnName, kindOf } from "../../lib/verdict.ts";
import { clean } from "../../lib/request-fields.ts";

/** The request for the form, and the reason if it cannot be sent yet. */
export type Sending = Prepared &
  (
    | { readonly call: "issue"; readonly body: IssueFields }
    | { readonly call: "sign"; readonly body: SignFields }
  );
interface Prepared {
  readonly role: string;
  readonly missing: string | false;
  /** Whether the page is generating the key. */
  readonly making?: boolean;
  /**
   * The key that the page has generated. It is added to the response and never sent to the server.
   */
  readonly key: PageKey | undefined;
}

/** Returns the request for the form: `sign`, or `issue` if the server generates the key. */
export function useRequest(name: string, role: Role, typed: Typed, fromCsr: boolean): Sending {
  const { names, csr, lifetime, subject } = typed;
  const kind = fromCsr ? "" : kindFor(role, typed.kind);
  const page = usePageRequest(kind, requestedNames(names, subject));
  // Require a name for server certificates even if the role does not, because no client accepts a
  // server certificate without a name.
  const named = role.require_cn !== false || role.server_flag === true;
  const nameless = clean([...names, subject.commonName]).length === 0 && named;
  const wrong = wrongLifetime(lifetime, new Date());
  const span = wrong === "" ? lifetimeFields(lifetime) : {};
  const fields = namesAndSubject(names, subject);
  const noRole = name === "" && "Choose a role";
  if (fromCsr)
    return {
      call: "sign",
      role: name,
      body: { csr: csr.view?.pem ?? "", ...span },
      missing: noRole || (!csr.view && "Paste a CSR first") || wrong,
      key: undefined,
    };
  const missing = noRole || (nameless && "Enter a name or an address") || wrong;
  if (kind === "")
    return {
      call: "issue",
      role: name,
      body: { ...fields, ...span, private_key_format: "pkcs8" },
      missing,
      key: undefined,
    };
  const unmade = page.failed ? page.failed.message : "Generating the key";
  return {
    call: "sign",
    role: name,
    body: { csr: page.csr ?? "", ...besideRequest(role, fields), ...span },
    missing: missing || (page.csr === undefined && unmade),
    making: !missing && page.csr === undefined && !page.failed,
    key: page.key,
  };
}

/** Checks the names and the lifetime in the page. Returns no results if there is no name. */
export function checkRequest(
  role: Role,
  names: readonly string[],
  ttl: string,
  csr: CsrView | undefined,
): readonly Step[] {
  const common = names.find((name) => kindOf(name) === "name");
  const steps = names.map((name) => ({
    what: name,
    ...verdictOnName(role, name, name === common),
  }));
  return steps.length === 0
    ? []
    : [
        ...steps,
        ...(csr ? [{ what: csr.key, ...verdictOnKey(role, csr.key) }] : []),
        { what: "Lifetime", ...verdictOnLifetime(role, ttl) },
      ];
}

/** Returns the names of the request that the role checks. */
export const namesToCheck = (
  role: Role,
  { names, subject, csr }: Typed,
  fromCsr: boolean,
): readonly string[] => (fromCsr ? namesOf(role, csr.view) : clean([subject.commonName, ...names]));

/** Returns the names in a CSR that the role uses and checks. */
function namesOf(role: Role, csr: CsrView | undefined): readonly string[] {
  if (!csr) return [];
  const others = role.use_csr_sans === true ? csr.names.map(({ value }) => value) : [];
  return clean(role.use_csr_common_name === true ? [csr.commonName, ...others] : others);
}
