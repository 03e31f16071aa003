import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { createCa } from "sealwright";
import { fileKey, jobTimer, requestListener, sqliteStore } from "sealwright/node";

const { PORT = "8080", DATA = ".", ADMIN_TOKEN = "" } = process.env;
if (ADMIN_TOKEN.length < 16) throw new Error("ADMIN_TOKEN must have at least 16 characters");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const admin = digest(ADMIN_TOKEN);
const stores = sqliteStore(`${DATA}/ca.db`);
// signs new CRLs before the current ones expire, and deletes expired data
const jobs = jobTimer({ onError: console.error });
const ca = createCa({
  stores,
  sealingKey: fileKey(`${DATA}/ca.key`),
  authenticate: async (token) =>
    timingSafeEqual(digest(token), admin) ? { id: "admin", can: () => true } : undefined,
  wake: jobs.wake,
});

// creates the missing parts of the CA; if several processes start at once, only one creates them
await ca.ensure({
  root: { common_name: "Example Root" },
  roles: [
    { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
  ],
});
await jobs.start(ca);

const server = createServer(requestListener(ca));
server.listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
process.once("SIGTERM", () => {
  jobs.stop();
  server.close(() => stores.close());
});
