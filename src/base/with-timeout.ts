/** Resolves to the value of a promise, or after `milliseconds` to the result of `late`. */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late()), milliseconds);
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}
