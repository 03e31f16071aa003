import { figure, memoryText } from "./figures.ts";
import { fill } from "./http.ts";
import { startSubject } from "./server.ts";

/** Prints the memory of each process before and after many issuances. */
export async function benchMemory(certificates: number, counts: readonly number[]): Promise<void> {
  for (const workers of counts) {
    const subject = await startSubject({ workers });
    try {
      figure(`WORKERS=${workers}: resident memory, new`, memoryText(subject.pid));
      await fill(subject, certificates);
    } finally {
      await subject.stop();
    }
  }
}
