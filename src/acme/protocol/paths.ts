import type { Method } from "../../wire/route-patterns.ts";

/** A path in any kind of directory (B 5.1). */
export type AcmePath<M extends string, S extends string> =
  | `${M} /acme${S}`
  | `${M} /roles/:role/acme${S}`
  | `${M} /issuer/:issuer_ref/acme${S}`
  | `${M} /issuer/:issuer_ref/roles/:role/acme${S}`
  | `${M} /external-policy(/:policy)/acme${S}`
  | `${M} /issuer/:issuer_ref/external-policy(/:policy)/acme${S}`;

/**
 * Expands a method and a path under a directory, such as `POST /new-order`, to one path for each
 * kind of directory.
 */
export function acmePaths<M extends Method, S extends `/${string}`>(
  at: `${M} ${S}`,
): readonly AcmePath<M, S>[] {
  // one space separates method and path
  const [method, suffix] = at.split(" ") as [M, S];
  return [
    `${method} /acme${suffix}`,
    `${method} /roles/:role/acme${suffix}`,
    `${method} /issuer/:issuer_ref/acme${suffix}`,
    `${method} /issuer/:issuer_ref/roles/:role/acme${suffix}`,
    `${method} /external-policy(/:policy)/acme${suffix}`,
    `${method} /issuer/:issuer_ref/external-policy(/:policy)/acme${suffix}`,
  ];
}
