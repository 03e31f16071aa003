const descriptor = Object.getOwnPropertyDescriptor(Request.prototype, "body");

/**
 * Removes `Request.prototype.body`, which Firefox lacks. Import it before tests that must pass
 * without it.
 */
Reflect.deleteProperty(Request.prototype, "body");

/** Restores `Request.prototype.body`, for the next test files of a page that they share. */
export function restoreBody(): void {
  if (descriptor) Object.defineProperty(Request.prototype, "body", descriptor);
}
