import { toBase64Url, utf8 } from "../../base/bytes.ts";
import type { Mac } from "../../base/ids.ts";

/**
 * Returns the key of an external account binding: 32 bytes derived from its ID and a secret of the
 * mount, so that no key is stored. Its base64url form never begins with `-`, which a command line
 * would interpret as an option (D 5).
 */
export async function eabKey(mac: Mac, id: string): Promise<Uint8Array> {
  // one key in 64 begins with `-`; forty in a row cannot happen by chance
  for (let attempt = 0; attempt < 40; attempt++) {
    const key = await mac(utf8(`${id}/${attempt}`));
    if (!toBase64Url(key).startsWith("-")) return key;
  }
  throw new TypeError("no key can be derived from the secret of the mount");
}
