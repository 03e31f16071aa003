/** Views that do not depend on the mount. */
export { Reference } from "../routes/reference/reference.tsx";
export { Settings } from "../routes/settings/settings.tsx";
export { SignIn } from "../routes/signin/signin.tsx";
export { Variables } from "../routes/variables/variables.tsx";
