export { csvOf } from "./csv.ts";
export { RenewSelected as RenewChosen } from "./renew-selected.tsx";
export { RevokeSelected as RevokeChosen } from "./revoke-selected.tsx";
