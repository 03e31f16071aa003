/**
 * Takes `Request.prototype.body` away, which Firefox does not have. To be imported before the tests
 * that shall live without it.
 */
Reflect.deleteProperty(Request.prototype, "body");
