import type { Engine } from "../engine.ts";
import type { NoticeRow } from "../records.ts";
import { flag, int, list, text } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { plain } from "../wire/style.ts";

/** What clients of this API family compare to switch features on (contract README). */
export const reportedVersion = "2.1.0+ent";
const name = "sealwright";

/** Texts of what needs somebody's attention, in any mount that exists; at most a second old. */
async function noticesOf(ca: Engine): Promise<readonly string[]> {
  // rows below notice/ are written by features with this type
  const held = await ca.fresh("notices", async () =>
    (await ca.store.list("notice/")).map(([key, row]) => [key.split("/")[1], row.value as NoticeRow] as const),
  );
  if (held.length === 0) return [];
  const mounts = new Set([...(await ca.system.mounts()).values()].map(({ uuid }) => uuid));
  return [...new Set(held.flatMap(([mount = "", { text: words }]) => (mounts.has(mount) ? [words] : [])))];
}

export const health = endpoint({
  id: "health",
  at: ["GET /health"],
  access: "open",
  style: plain,
  doc: "Tells that the authority answers.",
  body: {},
  reply: {
    initialized: flag.required("Always true."),
    sealed: flag.required("Always false."),
    standby: flag.required("Always false."),
    performance_standby: flag.required("Always false."),
    replication_performance_mode: text.required("Always `disabled`."),
    replication_dr_mode: text.required("Always `disabled`."),
    server_time_utc: int.required("Time of the authority, Unix seconds."),
    version: text.required("Version of the API family."),
    enterprise: flag.required("Always true: the operations of the paid edition are here."),
    cluster_name: text.required("Name of the deployment."),
    cluster_id: text.required("Empty."),
    warnings: list.optional("What needs somebody's attention, such as a CRL that is held back; absent when nothing does."),
  },
  run: async (ca) => {
    // that the authority answers does not depend on its storage
    const warnings = await noticesOf(ca).catch(() => []);
    return { ...healthy(ca), ...(warnings.length > 0 ? { warnings } : {}) };
  },
});

const healthy = (ca: Engine) => ({
  initialized: true,
  sealed: false,
  standby: false,
  performance_standby: false,
  replication_performance_mode: "disabled",
  replication_dr_mode: "disabled",
  server_time_utc: Math.floor(ca.ports.now() / 1000),
  version: reportedVersion,
  enterprise: true,
  cluster_name: name,
  cluster_id: "",
});

export const sealStatus = endpoint({
  id: "sealStatus",
  at: ["GET /seal-status"],
  access: "open",
  style: plain,
  doc: "Tells that the authority is not sealed, and its version.",
  body: {},
  reply: {
    type: text.required("Always `shamir`."),
    initialized: flag.required("Always true."),
    sealed: flag.required("Always false."),
    t: int.required("Always 1."),
    n: int.required("Always 1."),
    progress: int.required("Always 0."),
    nonce: text.required("Empty."),
    version: text.required("Version of the API family."),
    build_date: text.required("Empty."),
    migration: flag.required("Always false."),
    cluster_name: text.required("Name of the deployment."),
    cluster_id: text.required("Empty."),
    recovery_seal: flag.required("Always false."),
    storage_type: text.required("What keeps the rows."),
  },
  run: async () => ({
    type: "shamir",
    initialized: true,
    sealed: false,
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    version: reportedVersion,
    build_date: "",
    migration: false,
    cluster_name: name,
    cluster_id: "",
    recovery_seal: false,
    storage_type: "sealwright",
  }),
});
