import type { GeneralNames } from "../../x509/san.ts";
import { collectNames } from "../request/alternative-names.ts";
import { strict } from "../request/judge.ts";
import { judgeAddresses } from "./addresses.ts";
import type { NameRequest } from "./asked.ts";
import { judgeOtherNames } from "./other-names.ts";
import { checkUri } from "./uris.ts";

const anyAddress = { allow_ip_sans: true, allowed_ip_sans_cidr: [] };
/** Names of a CA, which no role limits; the same rules of form as for leaves (A 3.3). */
export function freeNames(asked: Omit<NameRequest, "user_ids" | "serial_number">): GeneralNames {
  const names = collectNames({
    commonName: asked.common_name,
    altNames: asked.alt_names,
    excludeCn: asked.exclude_cn_from_sans,
  });
  const uri = asked.uri_sans.filter(Boolean);
  uri.forEach(checkUri);
  const free = { input: asked, judge: strict };
  return {
    ...names,
    ip: judgeAddresses(free, anyAddress, undefined),
    uri,
    other: judgeOtherNames(free, ["*"], undefined),
  };
}
