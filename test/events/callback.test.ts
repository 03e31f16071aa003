import { expect, it } from "vitest";
import type { CaEvent } from "../../src/index.ts";
import { authority } from "../support/authority.ts";

/** Creates an authority with a role, and collects the events of its callback. */
async function listening(listen?: (event: CaEvent) => void | Promise<void>) {
  const events: CaEvent[] = [];
  const a = authority({
    publicUrl: "https://ca.example",
    events: (event) => {
      events.push(event);
      return listen?.(event);
    },
  });
  await a.root();
  await a.role("web");
  return { a, events };
}
const typesOf = (events: readonly CaEvent[]): readonly string[] => events.map(({ type }) => type);

it("the event callback receives an event for each certificate that is issued or revoked", async () => {
  const { a, events } = await listening();
  expect(events).toMatchObject([
    { type: "sealwright.certificate.issued", data: { issuer_name: "root", role: "" } },
  ]);
  events.length = 0;
  const issued = await a.pki.issue({
    role: "web",
    common_name: "a.example",
    alt_names: "b.example",
  });
  await a.pki.revoke({ serial_number: issued.serial_number, reason: "keyCompromise" });
  await a.pki.revoke({ serial_number: issued.serial_number });
  const [root] = (await a.pki.listIssuers()).keys;
  const about = {
    mount: "pki",
    serial_number: issued.serial_number,
    issuer_id: root,
    issuer_name: "root",
    role: "web",
    common_name: "a.example",
    names: ["a.example", "b.example"],
    not_before: "2030-01-02T03:03:35Z",
    not_after: "2030-02-03T03:04:05Z",
  };
  const of = {
    specversion: "1.0",
    id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    source: "https://ca.example/v1/pki",
    subject: issued.serial_number,
    time: "2030-01-02T03:04:05Z",
    datacontenttype: "application/json",
  };
  expect(events).toEqual([
    { ...of, type: "sealwright.certificate.issued", data: about },
    {
      ...of,
      type: "sealwright.certificate.revoked",
      data: { ...about, revoked_at: "2030-01-02T03:04:05Z", reason: "keyCompromise" },
    },
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(2);
});

it("no_store certificates, intermediates, revocations by search and revocations of issuers raise events", async () => {
  const { a, events } = await listening();
  await a.role("short", { no_store: true });
  events.length = 0;
  await a.pki.issue({ role: "short", common_name: "a.example" });
  const { id } = await a.intermediate();
  await a.pki.issue({ role: "web", common_name: "b.example" });
  await a.pki.revokeFound({ role: "web" });
  await a.pki.revokeIssuer({ issuer_ref: id });
  expect(typesOf(events)).toEqual([
    ...Array.from({ length: 3 }, () => "sealwright.certificate.issued"),
    ...Array.from({ length: 2 }, () => "sealwright.certificate.revoked"),
  ]);
});

it("signing a self-issued certificate raises an event", async () => {
  const { a, events } = await listening();
  const { certificate } = await authority({ seed: 2 }).root({ common_name: "Other" });
  events.length = 0;
  await a.pki.signSelfIssued({ certificate });
  expect(events).toMatchObject([
    {
      type: "sealwright.certificate.issued",
      data: { issuer_name: "root", role: "", common_name: "Other" },
    },
  ]);
});

it("a rejected request raises no event", async () => {
  const { a, events } = await listening();
  await a.role("narrow", { allow_any_name: false });
  events.length = 0;
  await expect(a.pki.issue({ role: "narrow", common_name: "a.example" })).rejects.toThrow();
  expect(events).toEqual([]);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("a bug");
    },
  ],
  ["rejects", () => Promise.reject(new Error("a bug"))],
])("an event callback that %s is logged and fails no request", async (_, listen) => {
  const { a } = await listening(listen);
  await expect(a.pki.issue({ role: "web", common_name: "a.example" })).resolves.toHaveProperty(
    "certificate",
  );
  expect(a.events).toContainEqual(
    expect.objectContaining({ endpoint: "event callback", cause: new Error("a bug") }),
  );
});

it("the type of an event determines the type of its data", async () => {
  const thresholds: number[] = [];
  const read = (event: CaEvent): void => {
    if (event.type === "sealwright.certificate.expiring") thresholds.push(event.data.days);
  };
  const { events } = await listening(read);
  expect(events).toHaveLength(1);
  expect(thresholds).toEqual([]);
});
