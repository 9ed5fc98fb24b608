/** Rules about the files of a CLI's sessions: which exist, and where they belong. */

/** `own`: the session itself. `part`: belongs to it. `base`: of another session, with which it begins. */
export type FileRole = "own" | "part" | "base"

export interface SessionFiles {
  readonly isId: (sessionId: string) => boolean
  /** Returns undefined if it is not a file of this session. */
  readonly roleOf: (path: string, sessionId: string) => FileRole | undefined
  /** Where the file belongs while the session is in this directory. */
  readonly placed: (path: string, directory: string) => string
}
