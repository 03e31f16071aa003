import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../../server/http/files.ts";
import { builtDemo, fileOf } from "../support/built.ts";
import { startServer, type RunningServer } from "../support/server.ts";

let server: RunningServer;
let built: string;
let style: string;

beforeAll(async () => {
  built = await builtDemo();
  style = fileOf(built, "style");
  server = await startServer({ env: { DEMO_DIR: built } });
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Requests a file of the page; unlike `fetch`, without decompression. */
function ask(
  file: string,
  headers: Record<string, string> = {},
  method: "GET" | "HEAD" = "GET",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(`${server.url}/demo/${file}`, { headers, method }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    }).on("error", reject);
  });
}

const original = (file: string): Buffer => readFileSync(join(built, file));

describe("a console that is stored only compressed with Brotli", () => {
  it("is sent in each encoding that clients accept", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sealwright-page-"));
    copyFileSync(join(built, `${style}.br`), join(folder, `${style}.br`));
    copyFileSync(join(built, "index.html.br"), join(folder, "index.html.br"));
    const { fetch: read } = filesBelow(folder);
    const bytes = async (path: string): Promise<Buffer> => {
      const response = await read(new Request(`http://page.test/demo/${path}`));
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    try {
      for (const file of [style, "index.html"]) {
        expect((await bytes(file)).equals(original(file))).toBe(true);
        expect(gunzipSync(await bytes(`${file}.gz`)).equals(original(file))).toBe(true);
        expect(brotliDecompressSync(await bytes(`${file}.br`)).equals(original(file))).toBe(true);
      }
      const missing = await read(new Request("http://page.test/demo/none.js"));
      expect(missing.status).toBe(404);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("the console of npm start", () => {
  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
    ["br;q=0, GZIP;q=0.5", "gzip", gunzipSync],
    ["br;q=0.0, gzip;q=0", undefined, (bytes: Buffer) => bytes],
    ["identity", undefined, (bytes: Buffer) => bytes],
    ["", undefined, (bytes: Buffer) => bytes],
  ])("to a client that accepts %j is sent as %s", async (taken, encoding, unpack) => {
    for (const file of [style, "worker.html", "sw.js"]) {
      const answer = await ask(file, { "accept-encoding": taken });
      expect(answer.status).toBe(200);
      expect(answer.headers["content-encoding"]).toBe(encoding);
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
      expect(answer.headers["vary"]).toBe("accept-encoding");
      expect(unpack(answer.body).equals(original(file))).toBe(true);
      const head = await ask(file, { "accept-encoding": taken }, "HEAD");
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers["content-encoding"]).toBe(encoding);
      expect(head.headers["etag"]).toBe(answer.headers["etag"]);
    }
  });

  it("has an ETag for each encoding, and answers conditional requests", async () => {
    const tags = new Set<unknown>();
    for (const taken of ["br", "gzip", "identity"]) {
      const headers = { "accept-encoding": taken };
      const { etag } = (await ask("sw.js", headers)).headers;
      tags.add(etag);
      const again = await ask("sw.js", { ...headers, "if-none-match": String(etag) });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers["etag"]).toBe(etag);
      expect(again.headers["vary"]).toBe("accept-encoding");
      const other = await ask("sw.js", { ...headers, "if-none-match": '"another"' });
      expect(other.status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });

  it("is cached forever if a file's name has a hash, and revalidated otherwise", async () => {
    const cached = async (file: string): Promise<unknown> =>
      (await ask(file)).headers["cache-control"];
    for (const name of ["style", "main", "theme", "icon", "manifest"])
      expect(await cached(fileOf(built, name)), name).toBe("public, max-age=31536000, immutable");
    for (const file of ["", "index.html", "connect.html", "worker.html", "sw.js"])
      expect(await cached(file), file).toBe("public, max-age=0, must-revalidate");
    const none = await ask("style-AAAAAAAA.css");
    expect([none.status, none.headers["cache-control"]]).toEqual([404, undefined]);
  });

  it("opens as the page of its server, with a Content-Security-Policy", async () => {
    for (const file of ["", "?mount=team", "index.html"]) {
      const { headers, body } = await ask(file);
      expect(body.equals(original("worker.html"))).toBe(true);
      expect(body.toString()).toContain('data-page="worker"');
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
    expect((await ask("sw.js")).headers["service-worker-allowed"]).toBe("/demo/");
  });

  it("serves no other files, no folders, and no compressed files by name", async () => {
    for (const file of ["none.html", "part", "%2e%2e/package.json", `${style}.br`, `${style}.gz`])
      expect((await ask(file)).status, file).toBe(404);
  });
});
