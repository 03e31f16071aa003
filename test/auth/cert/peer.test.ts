import { describe, expect, it } from "vitest";
import { peerOf } from "../../../worker/peer.ts";
import { certificate } from "../../net/tls-fixture.ts";

const [own, middle, root] = await Promise.all([certificate(), certificate(), certificate()]);
const sequenceOf = ({ der }: { readonly der: Uint8Array }): string =>
  `:${Buffer.from(der).toString("base64")}:`;
const good = {
  certPresented: "1",
  certVerified: "SUCCESS",
  certRevoked: "0",
  certRFC9440: sequenceOf(own),
  certChainRFC9440: `${sequenceOf(middle)}, ${sequenceOf(root)}`,
};
const chainOf = (cf: object | undefined, headers: Record<string, string> = {}) => {
  const request = new Request("https://ca.example/", { headers });
  return peerOf(cf ? Object.assign(request, { cf }) : request).tlsChain?.map((der) =>
    Buffer.from(der).toString("hex"),
  );
};
const hex = (...all: readonly { readonly der: Uint8Array }[]) =>
  all.map(({ der }) => Buffer.from(der).toString("hex"));

describe("the client's address on a Worker", () => {
  const addressOf = (cf: object | null | undefined) => {
    const headers = { "cf-connecting-ip": "192.0.2.7", "x-forwarded-for": "192.0.2.8" };
    const request = new Request("https://ca.example/", { headers });
    return peerOf(cf === undefined ? request : Object.assign(request, { cf })).address;
  };

  it("is read from CF-Connecting-IP if Cloudflare's metadata is present", () => {
    expect(addressOf({ colo: "FRA" })).toBe("192.0.2.7");
    expect(addressOf({ clientAddress: "192.0.2.1" })).toBe("192.0.2.1");
  });

  it("is that of the connection in a self-hosted workerd, where any client could send the header", () => {
    expect(addressOf({ clientIp: "192.0.2.1:4711" })).toBe("192.0.2.1");
    expect(addressOf({ clientIp: "[2001:db8::1]:4711" })).toBe("2001:db8::1");
    for (const clientIp of ["unix:/run/x", "", null, 7, "192.0.2.1"])
      expect(addressOf({ clientIp })).toBe(undefined);
  });

  it("is undefined without Cloudflare's metadata, where any client could send the header", () => {
    expect([addressOf(undefined), addressOf(null)]).toEqual([undefined, undefined]);
  });
});

describe("the client's certificates on a Worker", () => {
  it("are read from tlsClientAuth, with the leaf first", () => {
    expect(chainOf({ tlsClientAuth: good })).toEqual(hex(own, middle, root));
    expect(chainOf({ tlsClientAuth: { ...good, certChainRFC9440: "" } })).toEqual(hex(own));
  });

  it("are empty unless the platform has verified them", () => {
    for (const other of [
      { certPresented: "0", certVerified: "NONE", certRFC9440: "" },
      { certVerified: "FAILED:self signed certificate" },
      { certVerified: "FAILED:unable to get local issuer certificate" },
      { certRevoked: "1" },
      { certRevoked: undefined },
      { certRFC9440: "" },
      { certRFC9440: ":!:" },
      { certRFC9440: `${sequenceOf(own)}, ${sequenceOf(middle)}` },
      { certRFC9440: Buffer.from(own.der).toString("base64") },
    ])
      expect(chainOf({ tlsClientAuth: { ...good, ...other } })).toEqual([]);
  });

  it("are undefined without that metadata, even if headers contain certificates", () => {
    const headers = {
      "client-cert": sequenceOf(own),
      "cf-client-cert-der-base64": Buffer.from(own.der).toString("base64"),
      "x-ssl-client-cert": encodeURIComponent(own.pem),
    };
    expect(chainOf(undefined, headers)).toBe(undefined);
    expect(chainOf({ clientAddress: "192.0.2.1" }, headers)).toBe(undefined);
  });
});
