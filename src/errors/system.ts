/** What the operating system has refused, in words that name the cure where there is one; pure. */
import { type PlatformError, Predicate } from "effect"

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EAGAIN: "no more processes are allowed, see `ulimit -u`",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "no file may be so large, see `ulimit -f`",
  EISDIR: "it is a directory",
  ELOOP: "its links lead nowhere",
  EMFILE: "this process may open no more files, see `ulimit -n`",
  ENAMETOOLONG: "the path is too long",
  ENFILE: "no more files may be open on this machine",
  ENOENT: "no such file or directory",
  ENOMEM: "no memory is left",
  ENOSPC: "no space is left on the disk",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "the file is being written"
}

/** Such as `ENOENT`; undefined for anything but an error of the system. */
export const codeOf = (error: unknown): string | undefined => {
  if (!Predicate.hasProperty(error, "code") || !Predicate.isString(error.code)) return undefined
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined
}

export const explain = (code: string) => (Object.hasOwn(words, code) ? `${words[code]} (${code})` : code)

export const refusalOf = ({ reason }: PlatformError.PlatformError): string => {
  const code = codeOf(reason.cause)
  return code === undefined ? reason._tag : explain(code)
}

/** As a field of an error; absent where the system gave none. */
export const errnoOf = ({ reason }: PlatformError.PlatformError): { readonly errno?: string } => {
  const errno = codeOf(reason.cause)
  return errno === undefined ? {} : { errno }
}
