import { pkiParts, sysParts } from "../../src/endpoints/parts.ts";
import type { Files } from "./product.ts";

type Parts = Readonly<Record<string, () => Promise<readonly { readonly id: string }[]>>>;
async function idsOf(name: string, doc: string, parts: Parts): Promise<string> {
  const lines = await Promise.all(
    Object.entries(parts).map(async ([part, load]) => {
      const ids = (await load()).map(({ id }) => id).sort();
      return `${part}: ${JSON.stringify(ids)},\n`;
    }),
  );
  return `/** ${doc} */\nexport const ${name}: Readonly<Record<string, readonly string[]>> = {\n${lines.join("")}};\n`;
}

/** Generates the file that lists the IDs of the endpoints in each part. */
export async function partIds(): Promise<Files> {
  return {
    "src/endpoints/part-ids.ts": [
      "// Made by `npm run generate`; what is changed here is lost.\n",
      await idsOf("pkiIds", "Ids of the endpoints of a CA mount, by part.", pkiParts),
      await idsOf("sysIds", "Ids of the endpoints below `/v1/sys`, by part.", sysParts),
    ].join("\n"),
  };
}
