import { expect, it } from "vitest";
import { parseExposition } from "../support/exposition.ts";
import { startServer } from "../support/server.ts";

it("metrics are summed over all processes, and METRICS_TOKEN can read nothing else", async () => {
  const token = "a token of the monitoring";
  const server = await startServer({ env: { WORKERS: "2", METRICS_TOKEN: token } });
  const get = (path: string, bearer = token) =>
    fetch(`${server.url}/v1/${path}`, {
      headers: { authorization: `Bearer ${bearer}`, connection: "close" },
    });
  try {
    const requests = 8;
    for (let i = 0; i < requests; i++) expect((await get("sys/seal-status")).status).toBe(200);
    const response = await get("sys/metrics?format=prometheus");
    expect(response.status).toBe(200);
    const metrics = parseExposition(await response.text());
    expect(metrics.get("sealwright_processes")?.get("")).toBe(2);
    const counted = metrics.get("sealwright_requests_total")?.get("endpoint=sealStatus,status=200");
    expect(counted).toBe(requests);
    expect(metrics.get("sealwright_store_size_bytes")?.get("")).toBeGreaterThan(4096);
    expect([...(metrics.get("sealwright_info")?.keys() ?? [])]).toEqual([
      expect.stringMatching(/^version=\d+\.\d+\.\d+/),
    ]);
    expect((await get("sys/mounts")).status).toBe(403);
    expect((await get("sys/metrics", `${token}x`)).status).toBe(403);
  } finally {
    await server.stop();
  }
});
