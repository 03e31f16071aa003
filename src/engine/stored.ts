import {
  usages,
  type CertRow,
  type CrlRow,
  type CrlSumRow,
  type DeltaRow,
  type IssuerRow,
  type JobRow,
  type KeyRow,
  type ResponderRow,
  type ListedIssuerRow,
  type CrlNumberRow,
  type ListNeedRow,
  type ListNeedsRow,
} from "./records.ts";
import type {
  AccountRow,
  AuthzRow,
  EabRow,
  OrderRow,
  ReplacedRow,
  ThumbRow,
} from "./acme-records.ts";
import type { AccessorRow, PolicyRow, TokenEndsRow, TokenRow } from "./platform-records.ts";
import type { EndedTokenRow, LeaseRow, StoredLease } from "./lease-records.ts";
import type { AuditEvent } from "./audit-records.ts";
import type { ManagedKeyRow } from "./managed-records.ts";
import type { Row } from "./ports.ts";
import type {
  AuditKeyRow,
  AuditSentRow,
  AuditSinkRow,
  ClusterRow,
  CorsRow,
  EstLabelRow,
  MountRoute,
  NoticeRow,
  QuotaConfigRow,
  QuotaRow,
  RemountRow,
  StrangersRow,
  UnpublishRow,
  WrappedRow,
} from "./sys-records.ts";
import type {
  MetadataRow,
  MountRow,
  RevocationRequestRow,
  RevokedRow,
  SupersededRow,
} from "./records.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);
/**
 * Members of both, those of the second first; groups of members, such as `checks` of an issuer,
 * alike.
 */
function over(defaults: Fields): (given: Fields) => Fields {
  // once for a kind of row: walks read a hundred thousand of one
  const groups = Object.entries(defaults).flatMap(([name, below]) =>
    isFields(below) ? [[name, over(below)] as const] : [],
  );
  return (given) => {
    const all: Record<string, unknown> = { ...defaults, ...given };
    for (const [name, read] of groups) {
      const value = given[name];
      if (isFields(value)) all[name] = read(value);
    }
    return all;
  };
}

/**
 * Reads a stored row with defaults under it: a row that was stored before a field existed has that
 * field's default. A new field of a row cannot be without one, since the type demands it here. What
 * is no group of members reads as the defaults alone.
 */
export function withDefaults<T extends object>(defaults: T): (stored: unknown) => T {
  // rows of a kind are written only with its type, and every member that can be missing is laid
  // under
  const read = over(defaults as Fields);
  return (stored) => read(isFields(stored) ? stored : {}) as T;
}

const nothing = new Uint8Array();
const noKey: KeyRow = { id: "", name: "", type: "rsa", bits: 0, spki: nothing, sealed: nothing };
/** Each kind of row, as it is read. */
export const stored = {
  mount: withDefaults<MountRow>({
    uuid: "",
    path: "",
    type: "",
    description: "",
    accessor: "",
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    options: null,
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  }),
  // routes of before name no type: all were of this one
  route: withDefaults<MountRoute>({ uuid: "", type: "pki" }),
  key: withDefaults<KeyRow>(noKey),
  responder: withDefaults<ResponderRow>({ issuer: "", key: noKey, der: nothing }),
  issuer: withDefaults<IssuerRow>({
    id: "",
    name: "",
    key_id: "",
    der: nothing,
    chain: [],
    manual_chain: [],
    leaf_not_after_behavior: "err",
    usage: usages,
    revocation_signature_algorithm: "",
    urls: {
      issuing_certificates: [],
      crl_distribution_points: [],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
    },
    enable_aia_url_templating: false,
    checks: {
      disable_critical_extension_checks: false,
      disable_path_length_checks: false,
      disable_name_checks: false,
      disable_name_constraint_checks: false,
    },
    ocsp_unknown_serials: false,
    crl_set: "",
    modified: 0,
  }),
  cert: withDefaults<CertRow>({ der: nothing, issuer: "", crl_set: "", role: "" }),
  metadata: withDefaults<MetadataRow>({ issuer: "", role: "", not_after: 0 }),
  revoked: withDefaults<RevokedRow>({ at: 0, issuer: "", crl_set: "" }),
  revocationRequest: withDefaults<RevocationRequestRow>({ at: 0 }),
  crl: withDefaults<CrlRow>({
    number: 0,
    issuer: "",
    chunks: 0,
    size: 0,
    this_update: 0,
    next_update: 0,
    entries: 0,
  }),
  delta: withDefaults<DeltaRow>({
    number: 0,
    issuer: "",
    chunks: 0,
    size: 0,
    this_update: 0,
    next_update: 0,
    entries: 0,
    base: 0,
    digest: nothing,
    renewal: 0,
  }),
  crlSum: withDefaults<CrlSumRow>({ pages: null }),
  listNeeds: withDefaults<ListNeedsRow>({ known: false }),
  crlNumber: withDefaults<CrlNumberRow>({ number: 0 }),
  listNeed: withDefaults<ListNeedRow>({ addresses: [] }),
  listedIssuer: withDefaults<ListedIssuerRow>({ at: 0 }),
  superseded: withDefaults<SupersededRow>({ chunks: 0, at: 0 }),
  job: withDefaults<JobRow>({ kind: "", id: "" }),
  eab: withDefaults<EabRow>({ directory: "", created: 0 }),
  account: withDefaults<AccountRow>({
    jwk: { kty: "" },
    thumbprint: "",
    status: "valid",
    contact: [],
    directory: "",
    created: 0,
  }),
  thumb: withDefaults<ThumbRow>({ account: "" }),
  order: withDefaults<OrderRow>({
    account: "",
    directory: "",
    identifiers: [],
    authorizations: [],
    created: 0,
    expires: 0,
    status: "pending",
  }),
  authz: withDefaults<AuthzRow>({
    account: "",
    order: "",
    directory: "",
    identifier: { type: "dns", value: "" },
    wildcard: false,
    status: "pending",
    expires: 0,
    challenges: [],
  }),
  replaced: withDefaults<ReplacedRow>({ order: "" }),
  lease: withDefaults<LeaseRow>({ serial: "", issued: 0, expires: 0, not_after: 0 }),
  endedToken: withDefaults<EndedTokenRow>({ at: 0, look: 0 }),
  cluster: withDefaults<ClusterRow>({ id: "" }),
  estLabel: withDefaults<EstLabelRow>({ mount: "", at: 0 }),
  notice: withDefaults<NoticeRow>({ text: "" }),
  quota: withDefaults<QuotaRow>({
    path: "",
    role: "",
    rate: 1,
    interval: 1,
    block_interval: 0,
    inheritable: false,
  }),
  remount: withDefaults<RemountRow>({
    source: "",
    target: "",
    status: "in-progress",
    of: "",
    at: 0,
  }),
  cors: withDefaults<CorsRow>({ allowed_origins: [], allowed_headers: [] }),
  quotaConfig: withDefaults<QuotaConfigRow>({
    enable_rate_limit_audit_logging: false,
    enable_rate_limit_response_headers: false,
    rate_limit_exempt_paths: [],
  }),
  unpublish: withDefaults<UnpublishRow>({ names: [] }),
  auditKey: withDefaults<AuditKeyRow>({ sealed: nothing }),
  auditSink: withDefaults<AuditSinkRow>({ url: "", sealed: nothing, roots: [], modified: 0 }),
  auditSent: withDefaults<AuditSentRow>({ sent: {}, count: 0, at: 0 }),
  auditEvent: withDefaults<AuditEvent>({
    time: 0,
    request: "",
    endpoint: "",
    method: "",
    mount: "",
    path: "",
  }),
  strangers: withDefaults<StrangersRow>({ hours: [] }),
  managedKey: withDefaults<ManagedKeyRow>({
    uuid: "",
    type: "https",
    name: "",
    allow_generate_key: false,
    allow_replace_key: false,
    allow_store_key: false,
    any_mount: false,
    allow_private_network: false,
    usages: [],
    settings: {},
    sealed: nothing,
  }),
  wrapped: withDefaults<WrappedRow>({ end: 0, sealed: nothing, told: nothing }),
  policy: withDefaults<PolicyRow>({ text: "", modified: 0 }),
  token: withDefaults<TokenRow>({
    accessor: "",
    type: "service",
    policies: [],
    path: "",
    meta: null,
    display_name: "",
    created: 0,
    ttl: 0,
    explicit_max_ttl: 0,
    period: 0,
    num_uses: 0,
    orphan: true,
    renewable: false,
    entity_id: "",
    role: "",
    bound_cidrs: [],
    max_ttl: 0,
  }),
  accessor: withDefaults<AccessorRow>({ token: "" }),
  tokenEnds: withDefaults<TokenEndsRow>({ due: 0 }),
} as const;

/** A lease as it was read. */
export const storedLease = ([key, { value }]: readonly [key: string, row: Row]): StoredLease => ({
  ...stored.lease(value),
  key,
});
