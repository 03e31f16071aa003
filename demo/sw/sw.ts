import type { ChallengeMessage } from "../lib/pending-challenges.ts";
import type { BackupMessage } from "../lib/backup-messages.ts";
import { authority, challenges, type Local } from "./authority.ts";
import { backupIn, backUp } from "./backups.ts";
import { whyClosed } from "../lib/storage-failure.ts";
import { closedHeader } from "../lib/closed-header.ts";
import { dropOldPages, fileOf, cachePage, pageFile } from "./page-cache.ts";

// The DOM types do not describe the global scope of a service worker.
const scope = self as unknown as ServiceWorkerGlobalScope;
const folder = scope.registration.scope;

scope.addEventListener("install", (event) => event.waitUntil(cachePage(folder)));
scope.addEventListener("activate", (event) =>
  event.waitUntil(dropOldPages(folder).then(() => scope.clients.claim())),
);

scope.addEventListener("message", (event) => {
  if (event.data === "claim") event.waitUntil(scope.clients.claim());
  if (event.data === "take over") event.waitUntil(scope.skipWaiting());
  const backup = backupIn(event.data);
  const [port] = event.ports;
  if (backup && port) event.waitUntil(backed(backup, port));
  const message = messageIn(event.data);
  if (message) event.waitUntil(handleMessage(message, event.source));
});

/** Runs a backup or a restore for the page at the other end of a message port. */
async function backed(message: BackupMessage, port: MessagePort): Promise<void> {
  try {
    const { ca, tick } = await authority(folder);
    await backUp(ca, message, port);
    await tick();
  } catch (reason) {
    port.postMessage({ failed: String(reason) });
  }
}

/** Returns a page's message about challenges, or undefined for other messages. */
function messageIn(data: unknown): ChallengeMessage | undefined {
  const isChallenge = typeof data === "object" && data !== null && "challenges" in data;
  // Only pages in this worker's scope, which are built with it, send messages to it.
  return isChallenge ? (data as ChallengeMessage) : undefined;
}

/** Handles a page's decision about a challenge, or its request for the pending challenges. */
async function handleMessage(
  message: ChallengeMessage,
  from: ExtendableMessageEvent["source"],
): Promise<void> {
  if (message.challenges === "answer") challenges.answer(message.id, message.accept);
  else from?.postMessage({ asked: challenges.all() });
  // A worker that was stopped meanwhile has lost its challenges; the due jobs create them again.
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
    const answered = forward(request, below);
    event.respondWith(answered);
    // A service worker has no lasting timers, so due jobs run after requests.
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

/** Returns an error response that states why the CA cannot be opened. */
function storageClosed(reason: unknown, below: string): Response {
  const why = whyClosed(reason);
  const errors = below.startsWith("v1") ? [why] : [{ status: "503", title: why }];
  return Response.json({ errors }, { status: 503, headers: { [closedHeader]: "storage" } });
}

/** Passes a request to the CA in this browser, whose base URL is the folder. */
async function forward(request: Request, below: string): Promise<Response> {
  let opened: Local;
  try {
    opened = await authority(folder);
  } catch (reason) {
    return storageClosed(reason, below);
  }
  const { ca, token, owner } = opened;
  const headers = new Headers(request.headers);
  for (const name of ["X-Vault-Token", "Authorization"]) headers.delete(name);
  // Pages in this worker's scope have full access. Navigations do not: they may come from a link on
  // another site, and some reads have side effects.
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
