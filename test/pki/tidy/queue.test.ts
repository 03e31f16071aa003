import { expect, it } from "vitest";
import { hour, tidying } from "./tidying.ts";

it("B 3.1 tidy_revocation_queue, B 3.1 queue: removes requests older than the buffer, including confirmed ones, and keeps the others", async () => {
  const { a, keys, tidy } = await tidying();
  await a.pki.writeCrlConfig({ auto_rebuild: true, cross_cluster_revocation: true });
  await a.role("lost", { no_store: true });
  const lost = await a.pki.issue({ role: "lost", common_name: "lost.test", ttl: "900h" });
  for (const serial_number of ["0a:01", "0a:02", lost.serial_number])
    expect((await a.pki.revoke({ serial_number })).state).toBe("pending");
  await a.pki.revoke({ certificate: lost.certificate });
  a.clock.advance(48 * hour);
  await a.pki.revoke({ serial_number: "0a:03" });
  const tidied = () => tidy({ tidy_revocation_queue: true, page_size: 5 });
  expect(await tidied()).toMatchObject({ revocation_queue_deleted_count: 0 });
  a.clock.advance(1);
  expect(await tidy({ tidy_cert_metadata: true })).toMatchObject({
    revocation_queue_deleted_count: 0,
  });
  expect(await tidied()).toMatchObject({
    revocation_queue_deleted_count: 3,
    revoked_cert_deleted_count: 0,
  });
  expect((await a.pki.listRevocationQueue({})).keys).toEqual(["0a:03"]);
  expect(await keys("revoked/")).toHaveLength(1);
  expect(
    await tidy({ tidy_revocation_queue: true, revocation_queue_safety_buffer: "0s" }),
  ).toMatchObject({ revocation_queue_deleted_count: 1 });
  expect((await a.call("LIST", "pki/certs/revocation-queue")).status).toBe(404);
});
