import { CaError } from "../base/errors.ts";
import { storesWithLogs } from "../engine/partition-stores.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { int, listOf, text } from "../wire/field.ts";
import { envelope } from "../wire/style.ts";
import { probeTimeout } from "./degraded.ts";
import { mountAt, trimTrailingSlashes } from "./mounts.ts";
import { partitionSize } from "./partition-size.ts";
import { partitionState, partitionStates } from "./partition-state.ts";

export const readPartitions = systemEndpoint({
  id: "readPartitions",
  at: ["GET /mounts/:path+/partitions"],
  access: "token",
  style: envelope,
  doc: "Returns the partitions of a mount, over which its certificates are spread.",
  body: {},
  reply: {
    count: int.required("Number of partitions."),
    partitions: listOf({
      number: int.required(
        "Number of the partition. 0 has the configuration and everything that is not spread.",
      ),
      store: text.required("Name of its store, as in audit events."),
      state: text.required(
        "State: `empty` if it lost its rows, `unreachable` if it cannot be read.",
        [...partitionStates],
      ),
      rows: int.optional("Number of its rows, estimated, up to a minute old; absent if unknown."),
      bytes: int.optional(
        "Bytes of its rows, estimated, up to a minute old: of its database on Workers, without indexes on SQLite.",
      ),
    }).required("The partitions."),
  },
  refuses: ["no_mount"],
  run: async (ca, { path }) => {
    const mount = await mountAt(ca, path);
    if (!mount)
      throw new CaError("no_mount", `No secret engine mount at ${trimTrailingSlashes(path)}/`);
    const partitions = await Promise.all(
      storesWithLogs(mount).map(async ({ name, store }, number) => ({
        number,
        store: name,
        state: await partitionState(store, probeTimeout),
        ...(await partitionSize(store, ca.ports.now(), probeTimeout)),
      })),
    );
    return { count: partitions.length, partitions };
  },
});
