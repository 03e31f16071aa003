import { env } from "cloudflare:workers";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { describe } from "vitest";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import { scheduleSuite } from "../conformance/schedule.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;

describe("three engines on one object", () => {
  const open = async () => {
    const name = `schedule-${(opened += 1)}`;
    return remoteStore(() => MOUNT.get(MOUNT.idFromName(name)) as unknown as RemoteStore, name);
  };
  scheduleSuite({ fixed: 6, fresh: 3, controls: 6 }, open);
});
