import { atMost, figure, round } from "./figures.ts";
import { drive, get, post, type LoadResult } from "./load.ts";
import { seedCertificates } from "./revoked.ts";
import { seed, startSubject, type Subject } from "./server.ts";

/**
 * Compares four callers' latency during backups of a mount with their latency before the backups.
 */
export async function benchBackup(certificates: number, seconds: number): Promise<void> {
  const subject = await startSubject();
  try {
    const notAfter = Math.floor(Date.now() / 1000) + 86_400;
    await seed(subject, (store) =>
      seedCertificates(store, { count: certificates, notAfter, revoked: false }),
    );
    await fourCallers(subject, 1);
    figure(`a backup of ${certificates} certificates alone`, await backUpDuring(subject));
    const before = await fourCallers(subject, seconds);
    const running = fourCallers(subject, seconds);
    const backups = await backUpDuring(subject, running);
    const during = await running;
    figure(`concurrent backups of ${certificates} certificates`, backups);
    for (const [i, { what, outcome: calm }] of before.entries()) {
      const busy = during[i]?.outcome ?? calm;
      atMost(`${what} during a backup, p99`, busy.p99 / calm.p99, 3, "times", text(calm, busy));
    }
  } finally {
    await subject.stop();
  }
}

const text = (calm: LoadResult, busy: LoadResult): string =>
  `${round(calm.p99)} ms, ${round(busy.p99)} ms; ${round(calm.rps)}/s, ${round(busy.rps)}/s; ${calm.errors + busy.errors} errors`;

interface Measured {
  readonly what: string;
  readonly outcome: LoadResult;
}
/** Runs four callers concurrently, each with requests of one kind. */
function fourCallers({ url, token }: Subject, seconds: number): Promise<readonly Measured[]> {
  const paths = JSON.stringify({ paths: ["pki/issue/web"] });
  const kinds: readonly (readonly [string, Buffer])[] = [
    ["issue", post("/v1/pki/issue/web", token, JSON.stringify({ common_name: "a.example.com" }))],
    ["crl", get("/v1/pki/crl")],
    ["sys/health", get("/v1/sys/health")],
    ["sys/capabilities-self", post("/v1/sys/capabilities-self", token, paths)],
  ];
  return Promise.all(
    kinds.map(async ([what, request]) => ({
      what,
      outcome: await drive({ url, connections: 1, seconds, request: () => request }),
    })),
  );
}

/**
 * Backs up the mount repeatedly (at least once) until `until` settles. Returns a summary: the
 * number of backups, their mean size and their mean duration.
 */
async function backUpDuring(
  subject: Subject,
  until = Promise.resolve<unknown>(0),
): Promise<string> {
  const begun = performance.now();
  let isOver = false;
  void until.finally(() => (isOver = true));
  let count = 0;
  let bytes = 0;
  while (!isOver || count === 0) {
    const answer = await fetch(`${subject.url}/v1/sys/storage/snapshot/pki`, {
      headers: { "x-vault-token": subject.token },
    });
    if (!answer.ok || !answer.body)
      throw new Error(`the backup failed with HTTP status ${answer.status}`);
    for await (const chunk of answer.body) bytes += chunk.length;
    count++;
  }
  const each = (performance.now() - begun) / 1000 / count;
  return `${count}, each ${round(bytes / count / 2 ** 20)} MiB in ${round(each)} s`;
}
