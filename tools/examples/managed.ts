import type { Send } from "./send.ts";

/** Sends the example requests about managed keys, that is, CA keys in an external key service. */
export async function managed(send: Send): Promise<void> {
  const named = { type: "https", name: "signing-service" };
  const settings = {
    url: "https://keys.example.com",
    token: "a-secret-of-the-service",
    message_type: "raw",
    any_mount: true,
  };
  await send("writeManagedKey", { ...named, ...settings });
  await send("readManagedKey", named);
  await send("listManagedKeys", { type: "https" });
  await send("testManagedKey", named);
  const by = { managed_key_name: named.name };
  await send("generateManagedCaKey", { ...by, key_name: "kept-elsewhere" });
  await send("generateRootFromManagedKey", { ...by, common_name: "Kept Root", ttl: "87600h" });
  await send("rotateRootFromManagedKey", {
    ...by,
    common_name: "Next Kept Root",
    issuer_name: "next-kept-root",
    ttl: "87600h",
  });
  await send("generateIntermediateFromManagedKey", { ...by, common_name: "Kept Intermediate" });
  const unused = { type: "https", name: "unused" };
  await send("writeManagedKey", { ...unused, ...settings });
  await send("deleteManagedKey", unused);
}
