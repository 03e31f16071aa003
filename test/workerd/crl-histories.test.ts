import { env } from "cloudflare:workers";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { describe } from "vitest";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import { historySuite } from "../conformance/crl-histories.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;

describe("the lists of an authority over objects", () => {
  historySuite({ fixed: 10, fresh: 5 }, () => {
    const history = (opened += 1);
    return (name) => {
      const id = MOUNT.idFromName(`crl-history-${history}-${name}`);
      return remoteStore(() => MOUNT.get(id) as unknown as RemoteStore, name);
    };
  });
});
