import { oid, readDer, sequence, tlvOf, each } from "../base/der.ts";
import { checkOneName } from "./checked-names.ts";
import { remember, type Extension } from "./extension.ts";
import { extensionOid, otherOid } from "./oid.ts";
import { readAscii, uriName } from "./san.ts";

/** AuthorityInfoAccess: OCSP responders, then issuer certificates; undefined for no URL. */
export function authorityInfoAccess(
  ocsp: readonly string[],
  issuers: readonly string[],
): Extension | undefined {
  if (ocsp.length + issuers.length === 0) return undefined;
  const access = (method: string) => (url: string) => sequence(oid(method), uriName(url));
  return remember(["access", ocsp, issuers], () => ({
    oid: extensionOid.authorityInfoAccess,
    critical: false,
    value: tlvOf(0x30, [
      ...ocsp.map(access(otherOid.accessOcsp)),
      ...issuers.map(access(otherOid.accessCaIssuers)),
    ]),
  }));
}

/**
 * Reads the URLs of an AuthorityInfoAccess value; other access methods and other kinds of location
 * are passed over.
 */
export function readAuthorityInfoAccess(value: Uint8Array): {
  readonly ocsp: readonly string[];
  readonly issuers: readonly string[];
} {
  const list = readDer(value, "authority information access").enter("AuthorityInfoAccess");
  const ocsp: string[] = [];
  const issuers: string[] = [];
  while (list.tag !== undefined) {
    const item = list.enter("an access description");
    const method = item.oid("the method");
    if (item.tag === 0x86 && method === otherOid.accessOcsp)
      ocsp.push(readAscii(item, "the URL", 0x86));
    else if (item.tag === 0x86 && method === otherOid.accessCaIssuers)
      issuers.push(readAscii(item, "the URL", 0x86));
    else item.element("the location");
    item.end();
  }
  return { ocsp, issuers };
}

/** AuthorityInfoAccess and SubjectInfoAccess. */
export const checkInfoAccess =
  (where: string): ((value: Uint8Array) => void) =>
  (value) =>
    each(readDer(value, where).enter("InfoAccess"), (list) => {
      const item = list.enter("an access description");
      item.oid("the method");
      checkOneName(item, "the location");
      item.end();
    });
