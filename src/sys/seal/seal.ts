import { CaError } from "../../base/errors.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, int, text } from "../../wire/field.ts";
import { plain } from "../../wire/style.ts";
import { sealState, sealStatus } from "../health/health.ts";

export const init = systemEndpoint({
  id: "init",
  at: ["POST /init"],
  access: "open",
  style: plain,
  doc: "Always returns an error, because the server is already initialized.",
  body: {
    secret_shares: int.optional("Has no effect."),
    secret_threshold: int.optional("Has no effect."),
  },
  reply: {},
  refuses: ["malformed"],
  run: async () => {
    throw new CaError("malformed", "the server is already initialized");
  },
});

export const seal = systemEndpoint({
  id: "seal",
  at: ["POST /seal"],
  access: "sudo",
  style: plain,
  doc: "Always returns an error, because the server unseals itself. To disable its keys, stop the server and remove the sealing key.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async () => {
    throw new CaError(
      "malformed",
      "the server cannot be sealed by a request, because it unseals itself with its sealing key: stop the server and remove the sealing key",
    );
  },
});

export const unseal = systemEndpoint({
  id: "unseal",
  at: ["POST /unseal"],
  access: "open",
  style: plain,
  doc: "Returns the seal status. Key shares are not used: the server unseals itself with its sealing key.",
  body: {
    key: text.optional("Ignored."),
    reset: flag.default(false, "Has no effect."),
    migrate: flag.default(false, "Has no effect."),
  },
  reply: sealStatus.reply,
  run: (deployment) => sealState(deployment),
});

export const leader = systemEndpoint({
  id: "leader",
  at: ["GET /leader"],
  access: "open",
  style: plain,
  doc: "Reports the high-availability status, which is always that of a single node.",
  body: {},
  reply: {
    ha_enabled: flag.required("Always false."),
    is_self: flag.required("Always false: a single node has no leader."),
    active_time: text.required("Always `0001-01-01T00:00:00Z`."),
    leader_address: text.required("Always empty."),
    leader_cluster_address: text.required("Always empty."),
    performance_standby: flag.required("Always false."),
    performance_standby_last_remote_wal: int.required("Always 0."),
  },
  run: async () => ({
    ha_enabled: false,
    is_self: false,
    active_time: "0001-01-01T00:00:00Z",
    leader_address: "",
    leader_cluster_address: "",
    performance_standby: false,
    performance_standby_last_remote_wal: 0,
  }),
});
