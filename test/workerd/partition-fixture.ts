import { runInDurableObject } from "cloudflare:test";
import type { DurableObjectState, DurableObjectStub } from "@cloudflare/workers-types";
import { expect, vi } from "vitest";
import { fromHex, toHex } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import { partitionName } from "../../src/engine/partition-stores.ts";
import type { Store } from "../../src/engine/ports.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { encodeCertId, encodeOcspRequest } from "../../src/x509/ocsp-request.ts";
import { signedAnswers } from "../../src/x509/ocsp-response.ts";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import worker, { type Env } from "../../worker/index.ts";
import { bound, type Api, type Mount } from "./worker-fixture.ts";

/** Returns the names of the stores of a mount's partitions. */
export const namesOf = (uuid: string, partitions: number): readonly string[] =>
  Array.from({ length: partitions }, (_, at) => partitionName(uuid, at));
export const objectOf = (name: string) =>
  bound.MOUNT.get(bound.MOUNT.idFromName(name)) as RemoteStore & DurableObjectStub;
export const storeOf = (name: string): Store => remoteStore(() => objectOf(name), name);

/** Advances the clock by `ms`. Timers and alarms are unaffected. */
export function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

/** Returns the same deployment with cold caches. `call` runs before each call to an object. */
export function withCalls(
  call: (name: string, method: string) => Promise<unknown> | undefined,
): Env {
  const { MOUNT } = bound;
  return {
    ...bound,
    MOUNT: {
      idFromName: (name) => name,
      get: (name) => {
        const remote = () => MOUNT.get(MOUNT.idFromName(String(name)));
        const before = async (method: string) => void (await call(String(name), method));
        return {
          get: async (keys, at) => (await before("get"), remote().get(keys, at)),
          getWithIndex: async (keys, at) => (
            await before("getWithIndex"),
            (await remote().getWithIndex?.(keys, at)) ?? []
          ),
          list: async (...args) => (await before("list"), remote().list(...args)),
          size: async (at) => (await before("size"), remote().size?.(at)),
          epoch: async (at) => (await before("epoch"), (await remote().epoch?.(at)) ?? 0),
          commit: async (of, batch, at) => (await before("commit"), remote().commit(of, batch, at)),
          once: async (of, kind, id, at) => (await before("once"), remote().once(of, kind, id, at)),
          drop: async (of, at) => (await before("drop"), remote().drop?.(of, at)),
          exported: async (of, id, maxRows, at) => (
            await before("exported"),
            (await remote().exported?.(of, id, maxRows, at)) ?? null
          ),
        };
      },
    },
  };
}

export async function issue({ path }: Mount, api: Api, n: number): Promise<readonly string[]> {
  const serials: string[] = [];
  for (let i = 0; i < n; i++) {
    const { status, text, data } = await api("POST", `/v1/${path}/issue/web`, {
      common_name: "a.test",
      ttl: "1h",
    });
    expect(status, text).toBe(200);
    serials.push(data["serial_number"] ?? "");
  }
  return serials;
}
export const hex = (serial: string): string => serial.replaceAll(":", "");
/** Returns the keys below a prefix in each partition, without the prefix. */
export const keysIn = (uuid: string, prefix: string, partitions: number) =>
  Promise.all(
    namesOf(uuid, partitions).map(async (name) =>
      (await storeOf(name).list(prefix, { values: false })).map(([key]) =>
        key.slice(prefix.length),
      ),
    ),
  );
export const listed = async ({ path }: Mount, api: Api): Promise<readonly string[]> =>
  (await api("GET", `/v1/${path}/certs?list=true`)).data.keys.map(hex);
export async function ocspStatus({ path, api }: Mount, serial: string): Promise<unknown> {
  const { certificate = "" } = (await api("GET", `/v1/${path}/cert/ca`)).data;
  const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  const id = await encodeCertId("SHA-256", issuer, fromHex(hex(serial)));
  const answer = await worker.fetch(
    new Request(`https://ca.test/v1/${path}/ocsp`, {
      method: "POST",
      headers: { "content-type": "application/ocsp-request" },
      body: encodeOcspRequest([id]) as BodyInit,
    }),
    bound,
  );
  return signedAnswers(new Uint8Array(await answer.arrayBuffer())).answers[0]?.status;
}
export const onCrl = async ({ path, api }: Mount): Promise<readonly string[]> =>
  [...eachRevoked(parseCrl((await api("GET", `/v1/${path}/crl`)).bytes))].map(({ serial }) =>
    toHex(serial),
  );

interface Instance {
  alarm(): Promise<void>;
}
/** Calls a function inside an object. */
export const inside = <R>(
  name: string,
  run: (object: Instance, state: DurableObjectState) => Promise<R>,
): Promise<R> => runInDurableObject(objectOf(name), run);
