import type { ChallengeMessage } from "../lib/pending-challenges.ts";
import type { BackupMessage } from "../lib/backup-messages.ts";
import { authority, challenges, type Local } from "./authority.ts";
import { backupIn, backUp } from "./backups.ts";
import { whyClosed } from "../lib/storage-failure.ts";
import { closedHeader } from "../lib/closed-header.ts";
import { dropOldPages, fileOf, keepPage, pageFile } from "./page-cache.ts";

// The script runs as a service worker, which the shared library of types cannot know.
const scope = self as unknown as ServiceWorkerGlobalScope;
const folder = scope.registration.scope;

scope.addEventListener("install", (event) => event.waitUntil(keepPage(folder)));
scope.addEventListener("activate", (event) =>
  event.waitUntil(dropOldPages(folder).then(() => scope.clients.claim())),
);

scope.addEventListener("message", (event) => {
  if (event.data === "claim") event.waitUntil(scope.clients.claim());
  if (event.data === "take over") event.waitUntil(scope.skipWaiting());
  const backup = backupIn(event.data);
  const [port] = event.ports;
  if (backup && port) event.waitUntil(backed(backup, port));
  const said = messageIn(event.data);
  if (said) event.waitUntil(heard(said, event.source));
});

/** Makes a backup or takes one, for a page that waits at the other end of a port. */
async function backed(asked: BackupMessage, port: MessagePort): Promise<void> {
  try {
    const { ca, tick } = await authority(folder);
    await backUp(ca, asked, port);
    await tick();
  } catch (reason) {
    port.postMessage({ failed: String(reason) });
  }
}

/** Returns a page's message about challenges; undefined for other messages. */
function messageIn(data: unknown): ChallengeMessage | undefined {
  const known = typeof data === "object" && data !== null && "challenges" in data;
  // Only pages of this folder speak to this worker, which is built with them.
  return known ? (data as ChallengeMessage) : undefined;
}

/** Takes an answer, or tells what waits for one. */
async function heard(
  said: ChallengeMessage,
  from: ExtendableMessageEvent["source"],
): Promise<void> {
  if (said.challenges === "answer") challenges.answer(said.id, said.accept);
  else from?.postMessage({ asked: challenges.all() });
  // A worker that was ended meanwhile has forgotten its questions: what is due asks them again.
  await authority(folder)
    .then(({ tick }) => tick())
    .catch(() => {});
}

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const [address = ""] = request.url.split("#");
  if (!address.startsWith(folder)) return;
  const below = address.slice(folder.length);
  const [path = ""] = below.split("?");
  if (/^(?:v1|api\/v2)(?:\/|$)/.test(path)) {
    const answered = answer(request, below);
    event.respondWith(answered);
    // A worker has no timer that lasts: what is due runs after a request.
    event.waitUntil(
      answered
        .then(() => authority(folder))
        .then(({ tick }) => tick())
        .catch(() => {}),
    );
    return;
  }
  const file = request.method === "GET" ? fileOf(path) : undefined;
  if (file !== undefined) event.respondWith(pageFile(folder, file, request));
});

/** Says why nothing can be answered. */
function closed(reason: unknown, below: string): Response {
  const why = whyClosed(reason);
  const errors = below.startsWith("v1") ? [why] : [{ status: "503", title: why }];
  return Response.json({ errors }, { status: 503, headers: { [closedHeader]: "storage" } });
}

/** Hands a request to the authority of this browser, as if the folder were its address. */
async function answer(request: Request, below: string): Promise<Response> {
  let opened: Local;
  try {
    opened = await authority(folder);
  } catch (reason) {
    return closed(reason, below);
  }
  const { ca, token, owner } = opened;
  const headers = new Headers(request.headers);
  for (const name of ["X-Vault-Token", "Authorization"]) headers.delete(name);
  // A page of this folder may do everything. A navigation may come from a link on somebody else's
  // page, and some reads here have effects.
  const trusted = request.mode !== "navigate";
  if (trusted) headers.set("X-Service-Token", token);
  else headers.delete("X-Service-Token");
  const body = ["GET", "HEAD", "LIST"].includes(request.method)
    ? null
    : await request.arrayBuffer();
  return ca.fetch(
    new Request(new URL(`/${below}`, scope.location.origin), {
      method: request.method,
      headers,
      body,
    }),
    trusted ? { identity: owner } : {},
  );
}
