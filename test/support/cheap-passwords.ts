import { afterEach, beforeEach, vi, type MockInstance } from "vitest";

const derive = crypto.subtle.deriveBits.bind(crypto.subtle);

/**
 * Hashes passwords with a hundredth of the iterations in the tests of this file, which verify many
 * passwords and not the strength of hashes.
 */
export function hashCheaply(): void {
  let spy: MockInstance | undefined;
  beforeEach(() => {
    spy = vi.spyOn(crypto.subtle, "deriveBits").mockImplementation((parameters, key, length) => {
      if (typeof parameters === "string" || !("iterations" in parameters))
        return derive(parameters, key, length);
      const iterations = Math.ceil(parameters.iterations / 100);
      return derive({ ...parameters, iterations }, key, length);
    });
  });
  afterEach(() => spy?.mockRestore());
}
