import { env } from "cloudflare:workers";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { describe } from "vitest";
import type { Store } from "../../src/engine/ports.ts";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { historySuite } from "../conformance/crl-histories.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;

const openStores = (): ((name: string) => Store) => {
  const history = (opened += 1);
  return (name) => {
    const id = MOUNT.idFromName(`crl-history-${history}-${name}`);
    return remoteStore(() => MOUNT.get(id) as unknown as RemoteStore, name);
  };
};

describe("CRLs of an authority on Durable Objects", () => {
  historySuite({ fixed: 10, fresh: 5 }, openStores);
});

describe("CRLs of an authority on Durable Objects, with four partitions per mount", () => {
  historySuite({ fixed: 2, fresh: 1 }, () => partitionedStores(4, openStores()).stores);
});
