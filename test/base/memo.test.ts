import { describe, expect, it } from "vitest";
import { cacheKey, memoize } from "../../src/base/memo.ts";

describe("memoize", () => {
  it("computes a value once for each object", () => {
    let made = 0;
    const numbered = memoize(
      ({ name }: { name: string }, mark: string) => `${name}${mark}${++made}`,
    );
    const [one, other] = [{ name: "one" }, { name: "other" }];
    expect([numbered(one, "."), numbered(other, "."), numbered(one, "?")]).toEqual([
      "one.1",
      "other.2",
      "one.1",
    ]);
  });

  it("computes one value for all views of an object, from the object itself", () => {
    interface View {
      readonly [cacheKey]: View;
    }
    const owner: View = {
      get [cacheKey]() {
        return owner;
      },
    };
    const view = { [cacheKey]: owner };
    const made = memoize((given: View) => ({ given }));
    expect(made(view)).toEqual({ given: owner });
    expect(made(view)).toBe(made(owner));
    expect(made({ [cacheKey]: view })).not.toBe(made(owner));
  });

  it("computes again after an error, undefined, and a rejected promise", async () => {
    const outcomes: (() => Promise<string> | string | undefined)[] = [
      () => {
        throw new Error("not yet");
      },
      () => undefined,
      () => Promise.reject(new Error("not yet")),
      () => Promise.resolve("made"),
    ];
    const next = memoize<object, readonly [], unknown>(() => outcomes.shift()?.());
    const key = {};
    expect(() => next(key)).toThrow("not yet");
    expect(next(key)).toBeUndefined();
    await expect(next(key)).rejects.toThrow("not yet");
    expect(await next(key)).toBe("made");
    expect(await next(key)).toBe("made");
    expect(outcomes).toEqual([]);
  });

  it("does not make callers wait for a promise of another call that never settles", async () => {
    const outcomes = [new Promise<string>(() => {}), Promise.resolve("made")];
    const next = memoize<object, readonly [], Promise<string> | undefined>(() => outcomes.shift());
    const key = {};
    void next(key);
    expect(await next(key)).toBe("made");
    expect(await next(key)).toBe("made");
  });
});
