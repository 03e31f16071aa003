import { CaError } from "../../base/errors.ts";
import { provePossession, readPossessedKey } from "../../keys/possession.ts";
import { secret } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { revokeAsked, revokeShape } from "./revoke.ts";

export const revokeWithKey = endpoint({
  ...revokeShape,
  id: "revokeWithKey",
  at: ["POST /revoke-with-key"],
  doc: "Revokes a certificate, by serial number or by certificate, for whoever holds its private key. The key is compared and forgotten.",
  body: {
    ...revokeShape.body,
    private_key: {
      ...secret.optional(
        "The private key of the certificate, PEM: PKCS#8, PKCS#1 or SEC1, not encrypted.",
      ),
      // a missing one and an empty one are refused in different words
      required: true,
    },
  },
  audits: { plain: ["serial_number"], always: true },
  refuses: [...revokeShape.refuses, "bad_key"],
  run: (ca, { private_key: pem, ...input }, caller) => {
    if (pem === undefined)
      throw new CaError(
        "malformed",
        "Must have private key to revoke via the /revoke-with-key path.",
      );
    if (pem.length < 64)
      throw new CaError(
        "bad_key",
        "Provided data for private_key was too short; perhaps a path was passed to the API rather than the contents of a PEM file?",
      );
    // read once, whatever is tried again, and only for a certificate that is there (B 1.1)
    let reading: ReturnType<typeof readPossessedKey> | undefined;
    return revokeAsked(ca, input, caller, async ({ spki }) =>
      provePossession(await (reading ??= readPossessedKey(pem)), spki),
    );
  },
});
