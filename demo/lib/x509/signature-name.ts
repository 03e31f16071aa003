/**
 * Formats `ECDSAWithSHA256` as `ECDSA with SHA-256`, and `SHA256WithRSAPSS` as `RSA-PSS with
 * SHA-256`. Returns other names unchanged.
 */
export function signatureName(name: string): string {
  const [, front = "", back = ""] = /^(\w+)With(\w+)$/.exec(name) ?? [];
  if (front === "") return name;
  const [key, hash] = /^(SHA|MD)\d/.test(front) ? [back, front] : [front, back];
  return `${key.replace("RSAPSS", "RSA-PSS")} with ${hash.replace(/^SHA/, "SHA-")}`;
}
