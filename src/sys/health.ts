import { flag, int, text } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { plain } from "../wire/style.ts";

/** What clients of this API family compare to switch features on (contract README). */
export const reportedVersion = "2.1.0+ent";
const name = "sealwright";

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
  },
  run: async (ca) => ({
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
  }),
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
