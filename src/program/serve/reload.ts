/** A configuration that was read again → the part in effect now, and the part that needs a restart; pure. */
import { isDeepStrictEqual } from "node:util"
import type { Configuration } from "../../contract/Configuration.ts"

/** In effect from the next turn on. */
const live = ["agent", "directory", "directories", "whileBusy", "approvals", "chats"] as const

/** Lists of people of a served bot; their changes take effect at once. */
const lists = ["owners", "admins", "approvers", "users", "groups"] as const

const listsOf = (telegram: Configuration["telegram"]) =>
  Object.fromEntries(lists.flatMap((name) => (telegram?.[name] === undefined ? [] : [[name, telegram[name]]])))

/** The served bot, with its present lists. */
const telegramOf = ({ telegram: old }: Configuration, { telegram: now }: Configuration): Configuration["telegram"] => {
  if (old === undefined || now === undefined) return old
  const { token, apiRoot } = old
  return { token, ...(apiRoot === undefined ? {} : { apiRoot }), ...listsOf(now) }
}

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
  const telegram = telegramOf(before, read)
  const isWaiting = (key: string) =>
    key === "telegram" ? !isDeepStrictEqual(telegram, read.telegram) : !live.some((each) => each === key)
  const isApplied = (key: string) =>
    key === "telegram" ? !isDeepStrictEqual(telegram, before.telegram) : live.some((each) => each === key)
  const { agent, directory, directories, whileBusy, approvals, chats } = read
  const others = Object.fromEntries(Object.entries(before).filter(([key]) => isWaiting(key) && key !== "telegram"))
  return {
    applied: changed.filter(isApplied).map((key) => (key === "telegram" ? "people of telegram" : key)),
    waiting: changed.filter(isWaiting),
    configuration: {
      ...others,
      agents: before.agents,
      directories,
      ...(agent === undefined ? {} : { agent }),
      ...(directory === undefined ? {} : { directory }),
      ...(whileBusy === undefined ? {} : { whileBusy }),
      ...(approvals === undefined ? {} : { approvals }),
      ...(chats === undefined ? {} : { chats }),
      ...(telegram === undefined ? {} : { telegram })
    }
  }
}

export const reloadText = ({ applied, waiting }: Pick<Reloaded, "applied" | "waiting">): string => {
  if (applied.length + waiting.length === 0) return "The configuration was read again: nothing has changed."
  const now = applied.length === 0 ? [] : [`from the next turn on: ${applied.join(", ")}`]
  const later = waiting.length === 0 ? [] : [`after a restart alone: ${waiting.join(", ")}`]
  return `The configuration was read again. It counts ${[...now, ...later].join("; ")}.`
}
