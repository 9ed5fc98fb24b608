/** Makes paths, edits, plans and images of an agent absolute and bounded; pure: paths are only texts. */
import { isAbsolute, resolve } from "node:path"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { FileEdit, PlanEvent, ToolUseEvent } from "../contract/ToolEvent.ts"
import { boundedMedia } from "./media.ts"

const mostFacts = 1_000
/** In UTF-16 code units, as the others. */
const longestPath = 4_096
const longestEntry = 4_096
const mostEditText = 1024 * 1024
const mostPlanText = 256 * 1024

export const absoluteEdit = ({ path, movedTo, ...edit }: FileEdit, base: string): FileEdit => ({
  ...edit,
  path: resolve(base, path),
  ...(movedTo === undefined ? {} : { movedTo: resolve(base, movedTo) })
})

const isPath = (path: string) => path !== "" && path.length <= longestPath && !path.includes("\0")

/** A relative path without a known base is dropped. */
const isPlace = (path: string, base: string | undefined) => isPath(path) && (base !== undefined || isAbsolute(path))

const sizeOf = ({ before = "", after = "" }: FileEdit) => before.length + after.length

const hasRoom = (edits: ReadonlyArray<FileEdit>) =>
  edits.length <= mostFacts && edits.reduce((sum, edit) => sum + sizeOf(edit), 0) <= mostEditText

/** Edits with all their text, or none. */
const withEdits = (edits: ReadonlyArray<FileEdit>, base: string | undefined): Pick<ToolUseEvent, "edits"> => {
  const isPlaced = edits.every(({ path, movedTo = path }) => isPlace(path, base) && isPlace(movedTo, base))
  if (edits.length === 0 || !isPlaced || !hasRoom(edits)) return {}
  return { edits: edits.map((edit) => absoluteEdit(edit, base ?? "/")) }
}

const withPaths = (paths: ReadonlyArray<string>, base: string | undefined): Pick<ToolUseEvent, "paths"> => {
  const places = paths.filter((path) => isPlace(path, base)).slice(0, mostFacts)
  const absolute = [...new Set(places.map((path) => resolve(base ?? "/", path)))].filter(isPath)
  return absolute.length === 0 ? {} : { paths: absolute }
}

const cut = (text: string, longest: number) => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`)

const plan = (event: PlanEvent): PlanEvent => {
  const { text } = event
  const entries = event.entries?.slice(0, mostFacts).map((entry) => ({ ...entry, text: cut(entry.text, longestEntry) }))
  return { ...event, ...(entries && { entries }), ...(text === undefined ? {} : { text: cut(text, mostPlanText) }) }
}

/** `base`: the absolute directory in which the CLI works; where it is unknown, relative paths are left out. */
export const boundedFacts = (event: AgentEvent, base: string | undefined): AgentEvent => {
  switch (event.type) {
    case "plan":
      return plan(event)
    case "tool_use": {
      // Most calls have neither, and a copy would cost them more than all else here.
      if (!("paths" in event || "edits" in event)) return event
      const { paths = [], edits = [], ...call } = event
      return { ...call, ...withPaths(paths, base), ...withEdits(edits, base) }
    }
    case "tool_result": {
      if (!("edits" in event || "media" in event)) return event
      const { edits = [], media = [], ...result } = event
      return { ...result, ...withEdits(edits, base), ...boundedMedia(media) }
    }
    default:
      return event
  }
}
