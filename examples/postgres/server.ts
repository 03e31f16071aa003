import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { createCa } from "sealwright";
import { jobTimer, requestListener } from "sealwright/node";
import { postgresStore } from "sealwright/postgres";

const { PORT = "8080", DATABASE_URL = "", SEALING_KEY = "", ADMIN_TOKEN = "" } = process.env;
if (ADMIN_TOKEN.length < 16) throw new Error("ADMIN_TOKEN must have at least 16 characters");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const admin = digest(ADMIN_TOKEN);
const stores = postgresStore(DATABASE_URL);
const ca = createCa({
  stores,
  // the same on every node: base64 of 32 bytes
  sealingKey: new Uint8Array(Buffer.from(SEALING_KEY, "base64")),
  authenticate: async (token) =>
    timingSafeEqual(digest(token), admin) ? { id: "admin", can: () => true } : undefined,
});

// creates the missing parts of the CA; if several nodes start at once, only one creates them
await ca.ensure({
  root: { common_name: "Example Root" },
  roles: [
    { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
  ],
});

// one node at a time runs the due jobs, such as signing CRLs; if it stops, another takes over
const jobs = jobTimer({ onError: console.error, lead: () => stores.lead("jobs") });
stores.watch(jobs.wake);
await jobs.start(ca);

const server = createServer(requestListener(ca));
server.listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
process.once("SIGTERM", () => {
  jobs.stop();
  server.close(() => void stores.close());
});
