/** A configuration that was read again → what of it counts now, and what only a new start brings; pure. */
import { isDeepStrictEqual } from "node:util"
import type { Configuration } from "../../types/Configuration.ts"

/** They count from the next turn on. */
const live = ["agent", "directory", "directories", "whileBusy", "approvals"] as const

/** Facts of the file, not keys of it. */
const facts: ReadonlySet<string> = new Set(["file", "ignored"])

export interface Reloaded {
  /** Keys that have another value now. */
  readonly applied: ReadonlyArray<string>
  /** Keys whose new value counts after a restart. */
  readonly waiting: ReadonlyArray<string>
  /** What is in effect from now on. */
  readonly configuration: Configuration
}

export const reloaded = (before: Configuration, read: Configuration): Reloaded => {
  const [old, now] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(read))]
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => !facts.has(key) && !isDeepStrictEqual(old.get(key), now.get(key))
  )
  const isLive = (key: string) => live.some((each) => each === key)
  const { agent, directory, directories, whileBusy, approvals } = read
  const others = Object.fromEntries(Object.entries(before).filter(([key]) => !isLive(key)))
  return {
    applied: changed.filter(isLive),
    waiting: changed.filter((key) => !isLive(key)),
    configuration: {
      ...others,
      agents: before.agents,
      directories,
      ...(agent === undefined ? {} : { agent }),
      ...(directory === undefined ? {} : { directory }),
      ...(whileBusy === undefined ? {} : { whileBusy }),
      ...(approvals === undefined ? {} : { approvals })
    }
  }
}

/** For the log. */
export const reloadText = ({ applied, waiting }: Pick<Reloaded, "applied" | "waiting">): string => {
  if (applied.length + waiting.length === 0) return "The configuration was read again: nothing has changed."
  const now = applied.length === 0 ? [] : [`from the next turn on: ${applied.join(", ")}`]
  const later = waiting.length === 0 ? [] : [`after a restart alone: ${waiting.join(", ")}`]
  return `The configuration was read again. It counts ${[...now, ...later].join("; ")}.`
}
