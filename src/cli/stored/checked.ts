/** Stored sessions of a CLI → facts that can be shown and used: files and databases are untrusted. */
import { isAbsolute } from "node:path"
import { stripControls, withoutInvisible } from "../../contract/text/harmless.ts"
import type { StoredSession } from "../Stored.ts"

const longestTitle = 200
const longestPath = 4_096
/** The last moment that a Date can have. */
const lastTime = 8.64e15

/** Safe as an argument of a command and in a line of text. */
const sessionId = /^(?!-)[^\s\p{Cc}\p{Cf}\p{Cs}"'`$;&|<>/\\]{1,128}$/u

/** One line, without anything that a terminal acts on. */
const bounded = (text: string | undefined): string | undefined => {
  const start = text?.slice(0, 20 * longestTitle)
  const line = start && withoutInvisible(stripControls(start).replace(/\s+/g, " ")).trim()
  if (!line) return undefined
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1).trimEnd()}…`
}

const path = (text: string | undefined): string | undefined =>
  text !== undefined && isAbsolute(text) && text.length <= longestPath && withoutInvisible(text) === text
    ? text
    : undefined

const time = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 && value <= lastTime ? Math.round(value) : undefined

const count = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const amount = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined

/** A session whose texts are bounded and without control characters. */
export interface KnownSession {
  readonly sessionId: string
  readonly directory: string | undefined
  readonly title: string | undefined
  readonly model: string | undefined
  readonly createdAt: number | undefined
  readonly usedAt: number
  readonly turns: number | undefined
  readonly costUsd: number | undefined
  readonly isArchived: boolean
}

/** Returns undefined if the id cannot be used. `modifiedAt` replaces a missing time. */
export const checked = (session: StoredSession, modifiedAt: number): KnownSession | undefined =>
  sessionId.test(session.sessionId)
    ? {
        sessionId: session.sessionId,
        directory: path(session.directory),
        title: bounded(session.title),
        model: bounded(session.model),
        createdAt: time(session.createdAt),
        usedAt: time(session.usedAt) ?? time(modifiedAt) ?? 0,
        turns: count(session.turns),
        costUsd: amount(session.costUsd),
        isArchived: session.isArchived === true
      }
    : undefined

/** Two files or rows of one session. */
export const joined = (one: KnownSession, other: KnownSession): KnownSession => {
  const [main, more] = (other.turns ?? 0) > (one.turns ?? 0) ? [other, one] : [one, other]
  const created = [main.createdAt, more.createdAt].filter((at) => at !== undefined)
  return {
    ...main,
    directory: main.directory ?? more.directory,
    title: main.title ?? more.title,
    model: main.model ?? more.model,
    createdAt: created.length === 0 ? undefined : Math.min(...created),
    usedAt: Math.max(main.usedAt, more.usedAt)
  }
}
