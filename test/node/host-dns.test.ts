import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostDns } from "../../src/node/host-dns.ts";
import { temporaryDirectory } from "../support/server.ts";

/** Returns the DNS settings from these two files; undefined: the file is missing. */
function handedOver(nameservers: string | undefined, hosts?: string) {
  const directory = temporaryDirectory();
  const paths = { nameservers: join(directory, "resolv.conf"), hosts: join(directory, "hosts") };
  if (nameservers !== undefined) writeFileSync(paths.nameservers, nameservers);
  if (hosts !== undefined) writeFileSync(paths.hosts, hosts);
  return hostDns(paths);
}

describe("DNS settings of the host:", () => {
  it.each<[string, string | undefined, string]>([
    ["the first nameserver", "search a\nnameserver 192.0.2.1\nnameserver 192.0.2.2\n", "192.0.2.1"],
    ["one of IPv6", "  nameserver\t2001:db8::53  \n", "2001:db8::53"],
    ["one that can be dialled", "nameserver fe80::1%eth0\nnameserver 192.0.2.1", "192.0.2.1"],
    ["no commented one", "# nameserver 192.0.2.1\n;nameserver 192.0.2.2\n", "none"],
    ["that it names none", "search a\n", "none"],
    ["that it has no such file", undefined, "none"],
  ])("the Worker gets %s", (_, file, expected) => {
    expect(handedOver(file).DNS_NAMESERVER).toBe(expected);
  });

  it("the Worker gets the hosts file without comments and blank lines", () => {
    expect(
      handedOver("", "# us\n127.0.0.1\tlocalhost  me # and\n\n::1 localhost\n10.0.0.1").DNS_HOSTS,
    ).toBe("127.0.0.1 localhost me\n::1 localhost");
    expect(handedOver("").DNS_HOSTS).toBe("");
  });

  it("entries that block names are left out of a long hosts file", () => {
    const blocked = Array.from({ length: 20_000 }, (_, i) => `0.0.0.0 ads${i}.example`).join("\n");
    const hosts = `127.0.0.1 localhost\n10.0.0.1 db.example\n${blocked}\n10.0.0.2 web.example\n`;
    expect(handedOver("", hosts).DNS_HOSTS).toBe("10.0.0.1 db.example\n10.0.0.2 web.example");
  });

  it("a hosts file above the size limit is truncated at the end of a line", () => {
    const all = Array.from({ length: 20_000 }, (_, i) => `10.0.0.1 host${i}.example`);
    const lines = handedOver("", all.join("\n")).DNS_HOSTS.split("\n");
    expect(lines.join("\n").length).toBeLessThanOrEqual(100_000);
    expect(lines).toEqual(all.slice(0, lines.length));
    expect(lines.length).toBeGreaterThan(3_000);
  });
});
