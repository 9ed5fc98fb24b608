/**
 * The files of a session of Claude Code (2.1.330): `projects/<slug>/<id>.jsonl`, and in the folder `<id>` beside it what its
 * sub-agents said and long results of tools. It is found below any slug; the one of its directory comes first.
 */
import type { SessionFiles } from "./fileRoles.ts"

const longestSlug = 200

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const own = /^projects\/[A-Za-z0-9-]{1,220}\/([0-9a-f-]{36})\.jsonl$/
const beside =
  /^projects\/[A-Za-z0-9-]{1,220}\/([0-9a-f-]{36})\/(?:subagents|tool-results)(?:\/[A-Za-z0-9][\w.-]{0,127}){1,3}$/

/** A long one is cut, and ends in a number made of all of it. */
export const slugOf = (directory: string): string => {
  const slug = directory.replaceAll(/[^A-Za-z0-9]/g, "-")
  if (slug.length <= longestSlug) return slug
  let hash = 0
  for (let at = 0; at < directory.length; at++) hash = (hash * 31 + directory.charCodeAt(at)) | 0
  return `${slug.slice(0, longestSlug)}-${Math.abs(hash).toString(36)}`
}

export const claudeFiles: SessionFiles = {
  isId: (id) => uuid.test(id),
  roleOf: (path, sessionId) => {
    if (own.exec(path)?.[1] === sessionId) return "own"
    return beside.exec(path)?.[1] === sessionId ? "part" : undefined
  },
  placed: (path, directory) => path.replace(/^projects\/[^/]+/, () => `projects/${slugOf(directory)}`)
}
