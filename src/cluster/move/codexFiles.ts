/**
 * The files of a thread of Codex (0.169.0): its rollout, and those of the threads from which it was forked, since a fork has
 * only its own lines. They name the directory, but a thread goes on in any.
 */
import type { SessionFiles } from "./fileRoles.ts"

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const uuid = new RegExp(`^${id}$`)
const rollout = new RegExp(
  String.raw`^(?:sessions/\d{4}/\d\d/\d\d|archived_sessions)/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(${id})\.jsonl$`
)

export const codexFiles: SessionFiles = {
  isId: (text) => uuid.test(text),
  roleOf: (path, sessionId) => {
    const of = rollout.exec(path)?.[1]
    if (of === undefined) return undefined
    return of === sessionId ? "own" : "base"
  },
  placed: (path) => path
}
