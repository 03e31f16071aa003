import { expect, it } from "vitest";
import { acmeAuthority } from "./client.ts";
import { issue, newOrder, orderIn, readyOrder, setAuthorization } from "./ordering.ts";

const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);
/** A problem as returned by the endpoint. */
const refused = { type: "incorrectResponse", detail: "something else was served there" };

it("listAcmeOrders lists the newest orders first, of all accounts or of one, with state and reason", async () => {
  const a = await acmeAuthority();
  const [one, other] = [await a.registered(), await a.registered()];
  const failed = await newOrder(one, ["nas.a.test", "*.b.test"]);
  await setAuthorization(a, orderIn(failed).authorizations[0] ?? "", (row) => ({
    ...row,
    status: "invalid",
    challenges: row.challenges.map((challenge, i) =>
      i === 0 ? { ...challenge, status: "invalid", attempts: 7, error: refused } : challenge,
    ),
  }));
  a.clock.advance(5);
  const issued = await issue(a, other, ["www.a.test"]);
  a.clock.advance(5);
  const ready = await readyOrder(a, one, ["192.0.2.1"]);

  const all = await a.pki.listAcmeOrders({});
  expect(all.keys).toEqual([ready, issued.order, failed.location].map(idOf));
  const status = all.keys.map((id) => all.key_info[id]?.status);
  expect(status).toEqual(["ready", "valid", "invalid"]);
  const serial = all.key_info[idOf(issued.order)]?.cert_serial_number ?? "";
  expect((await a.pki.readCert({ serial })).certificate.trim()).toBe(issued.chain[0]?.trim());
  const account = idOf(one.kid);
  expect(all.key_info[idOf(failed.location)]).toEqual({
    account_id: account,
    directory: "acme",
    status: "invalid",
    identifiers: ["nas.a.test", "*.b.test"],
    created_time: expect.stringMatching(/Z$/),
    expires: expect.stringMatching(/Z$/),
    cert_serial_number: "",
    authorizations: [
      {
        identifier: "nas.a.test",
        status: "invalid",
        challenges: [
          { type: "http-01", status: "invalid", attempts: 7, error: refused },
          { type: "dns-01", status: "pending", attempts: 0 },
          { type: "tls-alpn-01", status: "pending", attempts: 0 },
        ],
      },
      {
        identifier: "*.b.test",
        status: "pending",
        challenges: [{ type: "dns-01", status: "pending", attempts: 0 }],
      },
    ],
  });

  expect((await a.pki.listAcmeOrders({ limit: 1 })).keys).toEqual([idOf(ready)]);
  const own = { account_id: account };
  expect((await a.pki.listAcmeOrders(own)).keys).toEqual([ready, failed.location].map(idOf));
  expect((await a.pki.listAcmeOrders({ ...own, limit: 1 })).keys).toEqual([idOf(ready)]);
});

it("listAcmeOrders returns 404 without an error message if there are no orders, and requires a token", async () => {
  const a = await acmeAuthority();
  const path = "pki/acme/mgmt/orders?list=true";
  const none = await a.call("GET", path);
  expect([none.status, none.errors]).toEqual([404, []]);
  expect((await a.call("GET", path, undefined, { token: "" })).status).toBe(403);
});
