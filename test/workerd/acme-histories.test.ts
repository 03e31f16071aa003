import { env } from "cloudflare:workers";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { describe } from "vitest";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import { acmeHistorySuite } from "../conformance/acme-histories.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;

describe("the orders of an authority over objects", () => {
  acmeHistorySuite({ fixed: 10, fresh: 5 }, () => {
    const history = (opened += 1);
    return (name) => {
      const id = MOUNT.idFromName(`acme-history-${history}-${name}`);
      return remoteStore(() => MOUNT.get(id) as unknown as RemoteStore, name);
    };
  });
});
