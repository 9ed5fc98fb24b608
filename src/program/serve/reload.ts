/** A configuration that was read again → the part in effect now, and the part that needs a restart; pure. */
import { isDeepStrictEqual } from "node:util"
import { Struct } from "effect"
import { type ChannelConfiguration, channelIds, isChannel } from "../../api/config/channels.ts"
import type { Configuration, ConfiguredPeople } from "../../contract/Configuration.ts"
import { present } from "../../contract/present.ts"

/** In effect from the next turn on. */
const live = ["agent", "directory", "directories", "whileBusy", "approvals", "chats"] as const

/** Lists of people of a served bot; their changes take effect at once. */
const lists = ["owners", "admins", "approvers", "users", "groups"] as const

/** A table with the lists of another one. */
const withLists = (table: ConfiguredPeople, now: ConfiguredPeople): ConfiguredPeople => ({
  ...Struct.omit(table, lists),
  ...Struct.pick(now, lists)
})

/** The served channels, with their present lists. */
const servedOf = (before: ChannelConfiguration, read: ChannelConfiguration): ChannelConfiguration =>
  Object.fromEntries(
    channelIds.flatMap((id) => {
      const [old, now] = [before[id], read[id]]
      return old === undefined ? [] : [[id, now === undefined ? old : withLists(old, now)]]
    })
  )

/** Facts of the file, not keys of it. */
const facts: ReadonlySet<string> = new Set(["file", "ignored"])

export interface Reloaded {
  /** Keys whose new value is in effect. */
  readonly applied: ReadonlyArray<string>
  /** Keys whose new value needs a restart. */
  readonly waiting: ReadonlyArray<string>
  readonly configuration: Configuration
}

export const reloaded = (before: Configuration, read: Configuration): Reloaded => {
  const [old, now] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(read))]
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => !facts.has(key) && !isDeepStrictEqual(old.get(key), now.get(key))
  )
  const served = servedOf(before, read)
  const isWaiting = (key: string) =>
    isChannel(key) ? !isDeepStrictEqual(served[key], read[key]) : !live.some((each) => each === key)
  const isApplied = (key: string) =>
    isChannel(key) ? !isDeepStrictEqual(served[key], before[key]) : live.some((each) => each === key)
  const { agent, directory, directories, whileBusy, approvals, chats } = read
  const others = Object.fromEntries(Object.entries(before).filter(([key]) => isWaiting(key) && !isChannel(key)))
  return {
    applied: changed.filter(isApplied).map((key) => (isChannel(key) ? `people of ${key}` : key)),
    waiting: changed.filter(isWaiting),
    configuration: {
      ...others,
      ...served,
      agents: before.agents,
      directories,
      ...present({ agent, directory, whileBusy, approvals, chats })
    }
  }
}

export const reloadText = ({ applied, waiting }: Pick<Reloaded, "applied" | "waiting">): string => {
  if (applied.length + waiting.length === 0) return "The configuration was read again: nothing has changed."
  const now = applied.length === 0 ? [] : [`from the next turn on: ${applied.join(", ")}`]
  const later = waiting.length === 0 ? [] : [`after a restart alone: ${waiting.join(", ")}`]
  return `The configuration was read again. It counts ${[...now, ...later].join("; ")}.`
}
