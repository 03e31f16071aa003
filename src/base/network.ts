/**
 * Returns the network of a single subscriber: an IPv4 address, or the /64 prefix of an IPv6 address
 * (RFC 6177) as `<prefix>::/64`. Returns other strings in lower case.
 */
export function subscriberNetwork(address: string): string {
  // truncates, because clients can send any string here
  const text = address.slice(0, 64).toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined || !text.includes(":")) return mapped ?? text;
  const [before = "", after] = text.split("::", 2);
  const groupsOf = (part: string): readonly string[] => part.split(":").filter(Boolean);
  const [head, tail] = [groupsOf(before), groupsOf(after ?? "")];
  const zeros =
    after === undefined ? [] : Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}

/**
 * Returns the network of a single site: an IPv4 address, or the /48 prefix of an IPv6 address (RFC
 * 6177).
 */
export const siteNetwork = (address: string): string =>
  subscriberNetwork(address).replace(/:[^:]*::\/64$/, "::/48");
