/** The sum that a run counts to; pure. All that decides which entries count is in the key, for all processes alike. */
import { createHash } from "node:crypto"
import { dayOf, monthOf } from "../zones.ts"
import { type Definition, storedUnit } from "./definition.ts"

/** The facts of a run, or of an entry, that decide. */
export interface Counted {
  readonly runId: string
  readonly cli: string
  readonly sessionId?: string | null | undefined
  readonly project?: string | null | undefined
  readonly user?: string | null | undefined
}

export interface Window {
  readonly key: string
  readonly definition: Definition
  readonly subject: string
  /** Whose entries count. */
  readonly counted: Counted
  readonly starts: number
  /** Undefined for a window that never ends. */
  readonly ends: number | undefined
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** An index takes about 2,700 bytes: a longer name is its digest. */
const subjectText = (name: string): string => (Buffer.byteLength(name) <= 512 ? name : `sha256:${sha256(name)}`)

const sessionSubject = (cli: string, sessionId: string): string => subjectText(`${cli}/${sessionId}`)

/** Returns undefined for a run without a subject, which the budget does not count. */
export const subjectOf = ({ per }: Pick<Definition, "per">, counted: Counted): string | undefined => {
  const { runId, cli, sessionId, project, user } = counted
  if (per === "all") return ""
  if (per === "run") return subjectText(runId)
  if (per === "session") return sessionId == null ? undefined : sessionSubject(cli, sessionId)
  const name = per === "project" ? project : user
  return name == null ? undefined : subjectText(name)
}

const always = { starts: 0, ends: undefined }

const timesOf = ({ window }: Definition, zone: string, at: number) => {
  if (window === "day") return dayOf(at, zone)
  return window === "month" ? monthOf(at, zone) : always
}

export const keyOf = (definition: Definition, subject: string, starts: number, ends: number | undefined): string => {
  const { name, per, unit, countsReserve, billing } = definition
  const key = [name, per, subject, storedUnit(unit), countsReserve, billing?.toSorted() ?? null, starts, ends ?? null]
  return sha256(JSON.stringify(key))
}

/** Undefined for a run that the budget does not count. */
export const windowOf = (definition: Definition, counted: Counted, zone: string, at: number): Window | undefined => {
  const subject = subjectOf(definition, counted)
  if (subject === undefined) return undefined
  const { starts, ends } = timesOf(definition, zone, at)
  return { key: keyOf(definition, subject, starts, ends), definition, subject, counted, starts, ends }
}
