import { ipToBytes, ipToText } from "../x509/address.ts";
import type { Ports } from "../engine/ports.ts";
import {
  dnsAnswer,
  dnsFailed,
  dnsQuestion,
  recordTypes,
  type QueryType,
  type DnsRecord,
} from "./dns-message.ts";
import type { DnsTransport } from "./dns-transport.ts";

type Resolve = NonNullable<Ports["resolve"]>;

/** Maximum number of CNAME records to follow per query. */
const maxAliases = 8;

/**
 * Returns a function that resolves names through a nameserver (security row 41). It follows up to
 * eight CNAME records, and returns an empty list only if the nameserver states that there are no
 * records. Otherwise it rejects with `NetError`, or with the reason of the signal. `random`
 * generates message IDs. Without it, they are 0, which helps caches.
 */
export const resolver =
  (send: DnsTransport, random?: Ports["random"]): Resolve =>
  async ({ name, type }, signal) => {
    let current = name.toLowerCase().replace(/\.$/, "");
    for (let aliases = 0; ;) {
      const [high = 0, low = 0] = random?.(2) ?? [];
      const question = dnsQuestion((high << 8) | low, current, type);
      const { records, noName } = dnsAnswer(question, await send(question, signal));
      const end = endOf(records, current, maxAliases - aliases);
      const values = records.filter(
        (record) => record.owner === end.name && record.type === recordTypes[type],
      );
      if (values.length > 0) return values.map(({ data }) => valueOf(type, data));
      if (noName || end.aliases === 0) return [];
      aliases += end.aliases;
      current = end.name;
    }
  };

/**
 * Follows the CNAME records in a response, and returns the last name. Throws `NetError` beyond the
 * limit.
 */
function endOf(records: readonly DnsRecord[], queried: string, limit: number) {
  const targets = new Map(
    records.flatMap(({ owner, target }) =>
      target === undefined ? [] : [[owner, target] as const],
    ),
  );
  let name = queried;
  for (let aliases = 0; ; aliases++) {
    const target = targets.get(name);
    if (target === undefined) return { name, aliases };
    if (aliases === limit)
      throw dnsFailed(`the chain of CNAME records is longer than ${maxAliases}`);
    name = target;
  }
}

/** Returns the data of a record as a string. Throws `NetError` if it is malformed. */
function valueOf(type: QueryType, data: Uint8Array): string {
  if (type === "TXT") return stringsOf(data);
  if (data.length !== (type === "A" ? 4 : 16))
    throw dnsFailed("the nameserver's response cannot be parsed");
  return ipToText(data);
}

/** Joins the strings of a TXT record, each of which has a length prefix. */
function stringsOf(data: Uint8Array): string {
  let text = "";
  for (let at = 0; at < data.length;) {
    const end = at + 1 + (data[at] ?? 0);
    if (end > data.length) throw dnsFailed("the nameserver's response cannot be parsed");
    text += String.fromCharCode(...data.subarray(at + 1, end));
    at = end;
  }
  return text;
}

/**
 * Parses `192.0.2.53:53` or `[2001:db8::53]:53`, the form of `dns_resolver`; the default port is
 * 53. Returns undefined for anything else.
 */
export function nameserverOf(
  text: string,
): { readonly address: string; readonly port: number } | undefined {
  const bare = ipToBytes(text);
  if (bare) return { address: ipToText(bare), port: 53 };
  const [, ipv6, ipv4 = "", digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const bytes = ipToBytes(ipv6 ?? ipv4);
  const port = Number(digits ?? 53);
  return bytes && port > 0 && port < 65_536 ? { address: ipToText(bytes), port } : undefined;
}

/** Rejects every query. The resolver for hosts without a nameserver (D 5). */
export const noNameserver: Resolve = () =>
  Promise.reject(dnsFailed("/etc/resolv.conf has no nameserver; set dns_resolver of config/acme"));

/**
 * Returns a function that resolves the names in a hosts file (hosts(5)), and passes all other names
 * to `resolve`.
 */
export function withHosts(hosts: string, resolve: Resolve): Resolve {
  const addresses = new Map<string, string[]>();
  for (const line of hosts.split("\n")) {
    const [ip = "", ...names] = line.replace(/#.*/s, "").trim().split(/\s+/);
    const bytes = ipToBytes(ip);
    if (!bytes) continue;
    for (const name of names.map((one) => one.toLowerCase()))
      addresses.set(name, [...(addresses.get(name) ?? []), ipToText(bytes)]);
  }
  return async (question, signal) => {
    const own = addresses.get(question.name.toLowerCase().replace(/\.$/, ""));
    if (!own || question.type === "TXT") return resolve(question, signal);
    return own.filter((ip) => ip.includes(":") === (question.type === "AAAA"));
  };
}
