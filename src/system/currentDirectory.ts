/** The current directory of this process, which others can remove. */
import { Predicate } from "effect"

/** Whether an error of `process.cwd()` says so; everything that resolves a relative path throws it, too. */
export const isDirectoryGone = (error: unknown): boolean =>
  Predicate.hasProperty(error, "syscall") && error.syscall === "uv_cwd"
    ? Predicate.hasProperty(error, "code") && error.code === "ENOENT"
    : Predicate.hasProperty(error, "cause") && isDirectoryGone(error.cause)
