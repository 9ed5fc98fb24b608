/**
 * The files of a session, for each CLI: which paths it may have below the root of the CLI's files, by an exact pattern, and
 * where they belong; pure.
 */
import { Option, Schema } from "effect"
import { limits, type MovableCli, type Packed } from "./packed.ts"

/** `own`: the session itself. `part`: belongs to it. `base`: of another session, with which it begins. */
export type FileRole = "own" | "part" | "base"

interface SessionFiles {
  readonly isId: (sessionId: string) => boolean
  /** Returns undefined if it is not a file of this session. */
  readonly roleOf: (path: string, sessionId: string) => FileRole | undefined
  /** Where the file belongs while the session is in this directory. */
  readonly placed: (path: string, directory: string) => string
}

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const uuid = new RegExp(`^${id}$`)

const longestSlug = 200
const claudeOwn = /^projects\/[A-Za-z0-9-]{1,220}\/([0-9a-f-]{36})\.jsonl$/
const claudePart =
  /^projects\/[A-Za-z0-9-]{1,220}\/([0-9a-f-]{36})\/(?:subagents|tool-results)(?:\/[A-Za-z0-9][\w.-]{0,127}){1,3}$/

/** The name of a directory in Claude Code. A long one is cut, and ends in a hash of the whole. */
export const slugOf = (directory: string): string => {
  const slug = directory.replaceAll(/[^A-Za-z0-9]/g, "-")
  if (slug.length <= longestSlug) return slug
  let hash = 0
  for (let at = 0; at < directory.length; at++) hash = (hash * 31 + directory.charCodeAt(at)) | 0
  return `${slug.slice(0, longestSlug)}-${Math.abs(hash).toString(36)}`
}

/**
 * Claude Code (2.1.330): `projects/<slug>/<id>.jsonl`, and in the folder `<id>` beside it the messages of sub-agents and long
 * results of tools. It is found below any slug; the one of its directory comes first.
 */
const claudeFiles: SessionFiles = {
  isId: (text) => uuid.test(text),
  roleOf: (path, sessionId) => {
    if (claudeOwn.exec(path)?.[1] === sessionId) return "own"
    return claudePart.exec(path)?.[1] === sessionId ? "part" : undefined
  },
  placed: (path, directory) => path.replace(/^projects\/[^/]+/, () => `projects/${slugOf(directory)}`)
}

const rollout = new RegExp(
  String.raw`^(?:sessions/\d{4}/\d\d/\d\d|archived_sessions)/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(${id})\.jsonl$`
)

/**
 * Codex (0.169.0): the rollout of a thread, and those of the threads from which it was forked, since a fork has only its own
 * lines. They name the directory, but a thread can be resumed in any.
 */
const codexFiles: SessionFiles = {
  isId: (text) => uuid.test(text),
  roleOf: (path, sessionId) => {
    const owner = rollout.exec(path)?.[1]
    return owner === undefined ? undefined : owner === sessionId ? "own" : "base"
  },
  placed: (path) => path
}

export const exportName = "session.json"
const sessionForm = /^ses_[A-Za-z0-9]{8,64}$/
const messageForm = /^msg_[A-Za-z0-9]{8,64}$/
const partForm = /^prt_[A-Za-z0-9]{8,64}$/

/**
 * OpenCode (1.18.33): the session as its `export` prints it and its `import` reads it. The import puts it into the directory
 * in which it is called, and replaces messages of the same ids: all of them have to be of this session.
 */
const opencodeFiles: SessionFiles = {
  isId: (text) => sessionForm.test(text),
  roleOf: (path) => (path === exportName ? "own" : undefined),
  placed: (path) => path
}

const matching = (form: RegExp) => Schema.String.check(Schema.isPattern(form))
const part = Schema.Struct({ id: matching(partForm), messageID: Schema.String, sessionID: Schema.String })

const exported = Schema.Struct({
  info: Schema.Struct({ id: matching(sessionForm), parentID: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
  messages: Schema.Array(
    Schema.Struct({
      info: Schema.Struct({ id: matching(messageForm), sessionID: Schema.String }),
      parts: Schema.Array(part)
    })
  )
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(exported))

/** The ids of the messages and parts of an export; undefined if it is not of this session alone. */
export const idsOfExport = (text: string, sessionId: string): ReadonlySet<string> | undefined => {
  const found = Option.getOrUndefined(decode(text))
  if (found === undefined || found.info.id !== sessionId || found.info.parentID != null) return undefined
  const isOwn = found.messages.every(
    ({ info, parts }) =>
      info.sessionID === sessionId && parts.every((one) => one.sessionID === sessionId && one.messageID === info.id)
  )
  if (!isOwn) return undefined
  const ids = found.messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)])
  const distinct = new Set(ids)
  return distinct.size === ids.length ? distinct : undefined
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

/** The reason why it cannot be a session of its CLI, as the rest of a sentence without its content; undefined if it can. */
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
