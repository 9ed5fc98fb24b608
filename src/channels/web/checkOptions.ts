/** The options of the page's channel, checked: a user's mistake is told with its place. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { Callback, makeParser } from "../../contract/checkInput.ts"
import type { WebChatOptions } from "./WebChatOptions.ts"

const Directory = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  branch: Schema.optional(Schema.String),
  changed: Schema.optional(Schema.Finite)
})

const parse = makeParser(
  Schema.Struct({
    accountId: Schema.optional(Schema.String.check(Schema.isPattern(/^[\w.-]{1,60}$/))),
    group: Schema.optional(Schema.String.check(Schema.isPattern(/^[\w-]{1,30}$/))),
    title: Schema.optional(Schema.String.check(Schema.isMaxLength(80))),
    authorize: Callback,
    agents: Schema.optional(Callback),
    directories: Schema.optional(Schema.Union([Callback, Schema.Array(Directory)])),
    budget: Schema.optional(Callback),
    uploadBytes: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))),
    origins: Schema.optional(Schema.Array(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+$/)))),
    keepDays: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0)))
  }),
  "options"
)

export interface CheckedWebChat {
  readonly accountId: string
  readonly group: string | undefined
  readonly uploadBytes: number
  readonly keepMs: number
}

export const checkWebChat = (options: WebChatOptions): Result.Result<CheckedWebChat, InvalidParams> =>
  Result.flatMap(parse(options), () => {
    const { accountId = "web", group, uploadBytes = 20_000_000, keepDays = 180 } = options
    if (group !== undefined && !(accountId.startsWith(`${group}.`) && accountId.length > group.length + 1)) {
      const problem = `is that of a page of the group ${group}, such as "${group}.office"`
      return Result.fail(new InvalidParams({ option: "accountId", problem }))
    }
    return Result.succeed({ accountId, group, uploadBytes, keepMs: keepDays * 24 * 60 * 60_000 })
  })
