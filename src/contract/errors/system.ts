/** Errors of the operating system in words, with a remedy where there is one; pure. */
import { type PlatformError, Predicate } from "effect"

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EAGAIN: "no more processes are allowed, see `ulimit -u`",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be too large, see `ulimit -f`",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links, or a loop of them",
  EMFILE: "this process cannot open more files, see `ulimit -n`",
  ENAMETOOLONG: "the path is too long",
  ENFILE: "this machine cannot open more files",
  ENOENT: "no such file or directory",
  ENOMEM: "out of memory",
  ENOSPC: "no space left on the disk",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "the file is open for writing"
}

/** The code of a system error, such as `ENOENT`; undefined for other errors. */
export const codeOf = (error: unknown): string | undefined => {
  if (!Predicate.hasProperty(error, "code") || !Predicate.isString(error.code)) return undefined
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined
}

export const explain = (code: string) => (Object.hasOwn(words, code) ? `${words[code]} (${code})` : code)

export const refusalOf = ({ reason }: PlatformError.PlatformError): string => {
  const code = codeOf(reason.cause)
  return code === undefined ? reason._tag : explain(code)
}

/** The code as a field of an error; absent if it has none. */
export const errnoOf = ({ reason }: PlatformError.PlatformError): { readonly errno?: string } => {
  const errno = codeOf(reason.cause)
  return errno === undefined ? {} : { errno }
}
