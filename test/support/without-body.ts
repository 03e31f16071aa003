/**
 * Removes `Request.prototype.body`, which Firefox lacks. Import it before tests that must pass
 * without it.
 */
Reflect.deleteProperty(Request.prototype, "body");
