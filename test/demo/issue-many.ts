import type { Page } from "playwright";
import { engineOf } from "./support.ts";

/** Role and validity of the certificates that {@link issueMany} issues. */
interface Issuance {
  /** Default: `dev-server`. */
  readonly role?: string;
  /** Default: ten days. */
  readonly ttl?: string;
}

/**
 * Issues certificates for `names`, ten at a time, by calling the engine of `page` in this process: a
 * call through the browser takes 6 ms more CPU time. Returns the serial numbers.
 */
export async function issueMany(
  page: Page,
  names: readonly string[],
  { role = "dev-server", ttl = "240h" }: Issuance = {},
): Promise<readonly string[]> {
  const engine = await engineOf(page);
  const issueOne = async (name: string): Promise<string> => {
    const reply = await engine.fetch(
      new Request(new URL(`/v1/pki/issue/${role}`, page.url()), {
        method: "POST",
        body: JSON.stringify({ common_name: name, ttl }),
      }),
    );
    const { data } = (await reply.json()) as { data?: { serial_number: string } };
    if (!data) throw new Error(`issuing ${name}: expected status 200, got ${reply.status}`);
    return data.serial_number;
  };
  const serials: string[] = [];
  for (let at = 0; at < names.length; at += 10)
    serials.push(...(await Promise.all(names.slice(at, at + 10).map(issueOne))));
  return serials;
}
