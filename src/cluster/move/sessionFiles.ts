/** Which paths a session of a CLI may have below the root of the CLI's files: by an exact pattern; pure. */
import { claudeFiles } from "./claudeFiles.ts"
import type { SessionFiles } from "./fileRoles.ts"
import { opencodeFiles } from "./opencodeFiles.ts"
import { limits, type MovableCli, type Packed } from "./packed.ts"

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const uuid = new RegExp(`^${id}$`)
const rollout = new RegExp(
  String.raw`^(?:sessions/\d{4}/\d\d/\d\d|archived_sessions)/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(${id})\.jsonl$`
)

/**
 * The files of a thread of Codex (0.169.0): its rollout, and those of the threads from which it was forked, since a fork has
 * only its own lines. They name the directory, but a thread goes on in any.
 */
const codexFiles: SessionFiles = {
  isId: (text) => uuid.test(text),
  roleOf: (path, sessionId) => {
    const of = rollout.exec(path)?.[1]
    if (of === undefined) return undefined
    return of === sessionId ? "own" : "base"
  },
  placed: (path) => path
}

export const sessionFiles: { readonly [Cli in MovableCli]: SessionFiles } = {
  claude: claudeFiles,
  codex: codexFiles,
  opencode: opencodeFiles
}

type Described = Omit<Packed, "files"> & {
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const isPlain = (path: string) =>
  path.length <= limits.pathLength && !path.split("/").some((name) => name === "" || name === "." || name === "..")

/** Why it cannot be a session of its CLI, as the rest of a sentence; undefined where it can. Nothing of it is repeated. */
export const problemOf = ({ cli, sessionId, directory, files }: Described): string | undefined => {
  const { isId, roleOf } = sessionFiles[cli]
  if (!isId(sessionId)) return "has an id that its CLI does not give"
  if (directory.length > limits.directoryLength || directory.includes("\0")) return "has an invalid directory"
  if (files.length > limits.files) return `has more than ${limits.files} files`
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > limits.totalBytes) return `is larger than ${limits.totalBytes / 1024 / 1024} MiB`
  const roles = files.map(({ path }) => (isPlain(path) ? roleOf(path, sessionId) : undefined))
  if (roles.includes(undefined)) return "has a file that does not belong to such a session"
  if (roles.filter((role) => role === "own").length !== 1) return "has not exactly one file of its own"
  // Files of one slug may come from several.
  const places = new Set(files.map(({ path }) => sessionFiles[cli].placed(path, directory).toLowerCase()))
  return places.size === files.length ? undefined : "has two files of one name"
}
