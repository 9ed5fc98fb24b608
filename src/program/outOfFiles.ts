/** A process that may open too few files to go on. */

export const outOfFiles = "this process cannot open enough files: raise its limit, see `ulimit -n` (EMFILE)"

/** Whether an error says so, or was caused by one that does. */
export const isOutOfFiles = (error: unknown): boolean =>
  error instanceof Error && (("code" in error && error.code === "EMFILE") || isOutOfFiles(error.cause))
