/** Checks access options of an application: → a policy, or the problem and its fix; pure. */
import { Result, Schema } from "effect"
import { makeParser } from "../../contract/checkInput.ts"
import { exact } from "../../contract/text/harmless.ts"
import type { Channel } from "../messages/Channel.ts"
import {
  AccessError,
  type AccessOf,
  type AccessOptions,
  type ChannelAccount,
  type GroupAccess
} from "./AccessOptions.ts"
import type { Policy } from "./policy.ts"

type Account = Pick<Channel, "id" | "accountId" | "isPerson">

/** The form of an id is checked by its channel. */
const Ids = Schema.optional(Schema.Array(Schema.Unknown))
const Group = Schema.Struct({ users: Ids, approvers: Ids, mention: Schema.optional(Schema.Boolean) })
const Options = Schema.Struct({
  owners: Ids,
  admins: Ids,
  approvers: Ids,
  users: Ids,
  groups: Schema.optional(Schema.Record(Schema.String, Group)),
  perMinute: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
})
const parse = makeParser(Options, "access")

const quoted = (text: string) => exact(JSON.stringify(text.slice(0, 60)))

const idHelp = "Use the number or id that the channel has for the person; /whoami shows it."

const entryProblem = (
  entry: unknown,
  { id, isPerson }: Account
): readonly [problem: string, help: string] | undefined => {
  if (typeof entry === "number") return [`is the number ${entry}`, `Write it as a string: "${entry}".`]
  if (typeof entry !== "string") return ["is not a string", "Each entry is the id of a person, as a string."]
  if (entry.startsWith("@")) return [`is the user name ${quoted(entry)}: user names change hands`, idHelp]
  if (isPerson(entry)) return undefined
  return [`is ${quoted(entry)}, which is not the id of a person on ${id}`, idHelp]
}

const chatProblem = (chatId: string): readonly [problem: string, help: string] | undefined => {
  const help = "Use the chat's id: the log names it when a message arrives there."
  if (chatId.trim() === "") return ["is the entry of a chat without an id", help]
  if (/[\p{C}\p{Z}]/u.test(chatId)) return ["has a space or a control character in the id", help]
  return chatId.startsWith("@") ? ["is the entry of a chat by name: names change hands", help] : undefined
}

export const accessOf = (access: AccessOf, account: ChannelAccount): AccessOptions =>
  typeof access === "function" ? access(account) : access

/** An empty list is allowed here: a person may pair later. */
export const checkAccess = (options: AccessOptions, account: Account): Result.Result<Policy, AccessError> => {
  const refuse = (option: string, problem: string, help: string) =>
    new AccessError({ channel: account.id, accountId: account.accountId, option, problem, help })

  const idsOf = (name: string, list: ReadonlyArray<unknown> | undefined) =>
    Result.gen(function* () {
      for (const [at, entry] of (list ?? []).entries()) {
        const problem = entryProblem(entry, account)
        if (problem !== undefined) return yield* Result.fail(refuse(`${name}[${at}]`, ...problem))
      }
      return new Set((list ?? []).map(String))
    })

  const groupOf = (chatId: string, { users, approvers, mention = true }: GroupAccess) =>
    Result.gen(function* () {
      const name = `groups[${quoted(chatId)}]`
      const problem = chatProblem(chatId)
      if (problem !== undefined) return yield* Result.fail(refuse(name, ...problem))
      const lists = {
        ...(users === undefined ? {} : { user: yield* idsOf(`${name}.users`, users) }),
        ...(approvers === undefined ? {} : { approver: yield* idsOf(`${name}.approvers`, approvers) })
      }
      return [chatId, { lists, mention }] as const
    })

  return Result.gen(function* () {
    yield* Result.mapError(parse(options), ({ option, problem }) =>
      refuse(option, problem, "The options are owners, admins, approvers, users, groups and perMinute.")
    )
    const lists = {
      owner: yield* idsOf("owners", options.owners),
      admin: yield* idsOf("admins", options.admins),
      approver: yield* idsOf("approvers", options.approvers),
      user: yield* idsOf("users", options.users)
    }
    const groups: Array<readonly [string, Policy["groups"] extends ReadonlyMap<string, infer G> ? G : never]> = []
    for (const [chatId, group] of Object.entries(options.groups ?? {})) groups.push(yield* groupOf(chatId, group))
    return { channel: account, lists, groups: new Map(groups) }
  })
}

export const noPeople = "names no people, so no one could write to the agent"

export const noPeopleListed = ({ id, accountId }: Account): AccessError =>
  new AccessError({
    channel: id,
    accountId,
    option: "owners",
    problem: noPeople,
    help: "List your own id, or start with pairing, which shows a code that makes its sender the owner."
  })
