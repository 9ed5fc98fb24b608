/** Cells of a session; pure. Titles, names and paths are untrusted texts. */
import { sep } from "node:path"
import { CliOutput } from "effect/cli"
import type { SessionHolder } from "../../contract/NotAdmitted.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { formatCost, isoTime } from "../../contract/text/amounts.ts"
import { clip, oneLine } from "../format.ts"
import { marks, type Style } from "../style.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const isTime = (at: number): boolean => isoTime(at) !== undefined

/** A past time, for people; after two weeks a date. A future time, by a clock that was set back, is now. */
export const ago = (at: number, now: number): string => {
  const ms = now - at
  if (!isTime(at)) return "at an unknown time"
  if (ms < minute) return "just now"
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  if (ms < day) return `${Math.floor(ms / hour)} h ago`
  return ms < 14 * day ? `${Math.floor(ms / day)} d ago` : new Date(at).toISOString().slice(0, 10)
}

/** The id for people: that of the store, or the CLI's own. */
export const idOf = ({ id, sessionId }: SessionInfo): string => id ?? sessionId
const shortest = 8

const sharedStart = (a: string, b = "") => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}

/** All ids by which a command finds it. */
const namesOf = (session: SessionInfo) => [idOf(session), session.sessionId]

/** The shortest beginnings of the ids that are unique, also among `others`: whole, so that they can be copied. */
export const shortIds = (
  sessions: ReadonlyArray<SessionInfo>,
  others: ReadonlyArray<SessionInfo> = []
): ReadonlyArray<string> => {
  const ids = sessions.map(idOf)
  const sorted = [...new Set([...sessions, ...others].flatMap(namesOf))].sort()
  const lengths = new Map(
    sorted.map((id, index) => {
      const others = Math.max(sharedStart(id, sorted[index - 1]), sharedStart(id, sorted[index + 1]))
      return [id, Math.max(shortest, others + 1)]
    })
  )
  return ids.map((id) => oneLine(id.slice(0, lengths.get(id))))
}

/** `~/code/shop`, and of a long path its end. */
export const shownPath = (path: string | undefined, home: string | undefined, width: number): string => {
  if (path === undefined) return ""
  const isInHome = home !== undefined && home !== sep && (path === home || path.startsWith(home + sep))
  const text = oneLine(isInHome ? `~${path.slice(home.length)}` : path)
  if (CliOutput.displayWidth(text) <= width) return text
  // Clips the start.
  const turned = (input: string) => [...input].reverse().join("")
  return turned(clip(turned(text), width))
}

export const shownTitle = ({ title, conversation }: SessionInfo): string => {
  const name = conversation?.map(oneLine).join(" / ")
  const text = title === undefined ? "" : oneLine(title)
  if (name === undefined) return text === "" ? "(no title)" : text
  return text === "" || text === name ? name : `${name}: ${text}`
}

/** Empty if unknown; `≥` if a part is unknown. */
export const costOf = ({ costUsd, isCostPartial }: SessionInfo): string =>
  costUsd === undefined ? "" : `${isCostPartial === true ? "≥ " : ""}${formatCost(costUsd)}`

export const holderText = ({ pid, host, since }: SessionHolder, now: number): string => {
  const time = ago(since, now)
  const span = time.endsWith(" ago") ? ` for ${time.slice(0, -4)}` : ""
  return `in use by process ${pid} on ${oneLine(host)}${span}`
}

/** State of the session that matters before resuming it. */
export const stateOf = (
  { state, holder, origin }: SessionInfo,
  now: number
): { readonly text: string; readonly style: Style } => {
  if (holder !== undefined) return { text: `${marks.agent} ${holderText(holder, now)}`, style: "cyan" }
  if (state === "dead") return { text: "gone from the CLI", style: "red" }
  if (state === "quarantined") return { text: "set aside after failures", style: "yellow" }
  if (state === "archived") return { text: "archived", style: "dim" }
  return { text: origin === "outside" ? "outside" : "", style: "dim" }
}
