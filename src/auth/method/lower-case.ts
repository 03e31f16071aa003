export { inLowerCase } from "../../wire/lower-case.ts";
