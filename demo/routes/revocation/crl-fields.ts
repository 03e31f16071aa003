import {
  type Setting,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
  wrongSettings,
} from "../../lib/settings.ts";
import type { CrlSetting } from "../../lib/crl-config.ts";
import { seconds } from "../../lib/durations.ts";

/** The fields for the CRL and OCSP settings, in the order of the form. */
export const crlFields: readonly SettingField<CrlSetting>[] = [
  { name: "expiry", label: "CRL lifetime", kind: "duration" },
  { name: "auto_rebuild_grace_period", label: "Rebuild before expiry", kind: "duration" },
  {
    name: "delta_rebuild_interval",
    label: "Rebuild delta CRLs every",
    kind: "duration",
    with: "enable_delta",
  },
  { name: "ocsp_expiry", label: "OCSP response lifetime", kind: "duration" },
  {
    name: "shards",
    label: "CRL shards (0 = none)",
    kind: "count",
    hint: "Splits new certificates across this many CRLs. Existing certificates keep their CRL.",
  },
  { name: "max_crl_entries", label: "Maximum CRL entries (-1 = no limit)", kind: "count" },
  {
    name: "auto_rebuild",
    label: "rebuild on schedule, not after each revocation",
    kind: "flag",
  },
  {
    name: "enable_delta",
    label: "delta CRLs between complete CRLs",
    kind: "flag",
    hint: "Requires scheduled rebuilds.",
  },
  {
    name: "disable",
    label: "disable CRLs",
    kind: "flag",
    hint: "CRLs are then empty, but revocations are still recorded.",
  },
  { name: "ocsp_disable", label: "disable OCSP", kind: "flag" },
  {
    name: "allow_expired_cert_revocation",
    label: "expired certificates can be revoked",
    kind: "flag",
  },
];

/** The fields for deployments with several clusters. */
export const clusterFields: readonly SettingField<CrlSetting>[] = [
  {
    name: "cross_cluster_revocation",
    label: "queue revocations of unknown serial numbers",
    kind: "flag",
    hint: "Requires scheduled rebuilds. Queued requests are listed above.",
  },
  {
    name: "unified_crl",
    label: "unified CRLs and OCSP",
    kind: "flag",
    hint: "Requires scheduled rebuilds.",
  },
  {
    name: "unified_crl_on_existing_paths",
    label: "serve unified CRLs and OCSP at the standard URLs",
    kind: "flag",
    hint: "Requires unified CRLs.",
  },
];

const span = (value: Setting | undefined): number => seconds(String(value ?? "")) ?? NaN;

/** The validation rules for the CRL settings. */
const rules: readonly SettingRule[] = [
  ["expiry", (of) => span(of["expiry"]) <= 0, "Must be at least 1s"],
  [
    "auto_rebuild_grace_period",
    (of) =>
      of["auto_rebuild"] === true && span(of["auto_rebuild_grace_period"]) >= span(of["expiry"]),
    "Must be shorter than the CRL lifetime",
  ],
  [
    "delta_rebuild_interval",
    (of) => of["enable_delta"] === true && span(of["delta_rebuild_interval"]) >= span(of["expiry"]),
    "Must be shorter than the CRL lifetime",
  ],
  [
    "enable_delta",
    (of) => of["enable_delta"] === true && of["auto_rebuild"] === false,
    "Requires scheduled rebuilds: otherwise every revocation rebuilds the complete CRL",
  ],
  [
    "shards",
    (of) => Number(of["shards"] ?? 0) < 0 || Number(of["shards"] ?? 0) > 256,
    "Must be between 0 and 256",
  ],
  ["max_crl_entries", (of) => Number(of["max_crl_entries"] ?? 0) < -1, "Must be -1 or more"],
  [
    "cross_cluster_revocation",
    (of) => of["cross_cluster_revocation"] === true && of["auto_rebuild"] === false,
    "Requires scheduled rebuilds",
  ],
  [
    "unified_crl",
    (of) => of["unified_crl"] === true && of["auto_rebuild"] === false,
    "Requires scheduled rebuilds",
  ],
  [
    "unified_crl_on_existing_paths",
    (of) => of["unified_crl_on_existing_paths"] === true && of["unified_crl"] === false,
    "Requires unified CRLs",
  ],
];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongCrlSettings = (typed: Settings): WrongSettings =>
  wrongSettings([...crlFields, ...clusterFields], rules, typed);
