/** A mistake in the environment or on the host, told in one sentence instead of a stack. */
export class LaunchError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "LaunchError";
  }
}
