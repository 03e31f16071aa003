import { execFileSync } from "node:child_process";

/**
 * Runs the openssl command with `input` as its standard input and returns its output; throws with
 * its error output if it fails.
 */
export function openssl(args: readonly string[], input = ""): string {
  return execFileSync("openssl", args, {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Returns a new private key that openssl generates, as PKCS#8 PEM. */
export function opensslKey(kind: (typeof kinds)[number]): string {
  if (kind === "rsa")
    return openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]);
  if (kind === "ed25519") return openssl(["genpkey", "-algorithm", "ED25519"]);
  return openssl([
    "genpkey",
    "-algorithm",
    "EC",
    "-pkeyopt",
    `ec_paramgen_curve:${kind}`,
    "-pkeyopt",
    "ec_param_enc:named_curve",
  ]);
}

/** Returns a key in its traditional form, from before PKCS#8; Ed25519 has none. */
export function opensslTraditional(pem: string): string {
  return openssl(
    openssl(["pkey", "-noout", "-text"], pem).startsWith("ED25519")
      ? ["pkey"]
      : ["pkey", "-traditional"],
    pem,
  ).trim();
}

/** The types of keys that `opensslKey` generates. */
export const kinds = ["rsa", "P-224", "P-256", "P-384", "P-521", "ed25519"] as const;
