/** The options of a bridge → the same with their defaults, or what is wrong with them; pure. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { DurationInput, makeParser, toMillis } from "../contract/checkInput.ts"
import { suggestionFor } from "../contract/suggestions.ts"
import type { BridgeOptions, CheckedOptions } from "./BridgeOptions.ts"
import { checkGateway } from "./gateway/checkGateway.ts"

const Directory = Schema.Struct({
  path: Schema.String,
  agent: Schema.optional(Schema.String),
  model: Schema.optional(Schema.String),
  permissionMode: Schema.optional(Schema.Literals(["default", "plan", "accept-edits", "bypass"]))
})

const Chat = Schema.Struct({
  agent: Schema.optional(Schema.String),
  model: Schema.optional(Schema.String),
  permissionMode: Schema.optional(Schema.Literals(["default", "plan", "accept-edits", "bypass"])),
  effort: Schema.optional(Schema.String),
  directory: Schema.optional(Schema.String),
  planMode: Schema.optional(Schema.Literals(["off", "auto", "on"])),
  progress: Schema.optional(Schema.Literals(["edit", "brief", "off"]))
})

const parse = makeParser(
  Schema.Struct({
    chats: Schema.optional(Schema.Record(Schema.String, Chat)),
    agent: Schema.optional(Schema.String),
    directories: Schema.optional(Schema.Record(Schema.String, Directory)),
    directory: Schema.optional(Schema.String),
    live: Schema.optional(Schema.Boolean),
    idle: Schema.optional(DurationInput),
    limits: Schema.optional(
      Schema.Struct({ total: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))) })
    ),
    whileBusy: Schema.optional(Schema.Literals(["steer", "queue", "collect", "interrupt"])),
    onInterrupted: Schema.optional(Schema.Literals(["fail", "continue", "again"])),
    onUnknown: Schema.optional(Schema.Literals(["ask", "again"])),
    onToolSend: Schema.optional(Schema.Literals(["equal", "silent"])),
    progress: Schema.optional(Schema.Literals(["edit", "brief", "off"])),
    footer: Schema.optional(Schema.Boolean),
    chunkLength: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  }),
  "options"
)

/** The values may be secrets: they stand in no message. */
const parseProfiles = makeParser(
  Schema.Struct({ profiles: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
  "options"
)

const unknown = (option: string, name: string, known: ReadonlyArray<string>) => {
  const near = suggestionFor(name, known)
  const hint = near === undefined ? ` is not one of ${known.join(", ")}` : ` is not known; did you mean "${near}"?`
  return Result.fail(new InvalidParams({ option, problem: `${JSON.stringify(name)}${hint}` }))
}

/** A user's mistake is told with its place and what to do. */
export const checkBridgeOptions = (given: BridgeOptions): Result.Result<CheckedOptions, InvalidParams> => {
  // The lists of people are checked by the channel that they are for, the rules by the sessions.
  const { agents, access: _, approvals: __, gateway: ___, profiles = {}, deliver, onRestart, pair, ...rest } = given
  const parsed = parse(rest)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const names = Object.keys(agents ?? {})
  const [first] = names
  if (first === undefined) {
    return Result.fail(new InvalidParams({ option: "agents", problem: "has no agent: give one by its name" }))
  }
  const { agent = first, directories = {}, directory, live = true, idle = "10 minutes", chunkLength = 4000 } = given
  const { total = 10 } = given.limits ?? {}
  const { whileBusy = "steer", onInterrupted = "fail", access = {}, approvals } = given
  const { onToolSend = "equal", onUnknown = "ask", progress, chats = {}, footer = false } = given
  const gateway = checkGateway(given.gateway)
  if (Result.isFailure(gateway)) return Result.fail(gateway.failure)
  if (!names.includes(agent)) return unknown("agent", agent, names)
  for (const [name, list] of Object.entries(profiles)) {
    if (!names.includes(name)) return unknown("profiles", name, names)
    const parsed = parseProfiles({ profiles: list })
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  }
  const places = Object.keys(directories)
  if (directory !== undefined && !places.includes(directory)) return unknown("directory", directory, places)
  for (const [id, { agent: own, directory: place }] of Object.entries(chats)) {
    if (own !== undefined && !names.includes(own)) return unknown(`chats.${id}.agent`, own, names)
    if (place !== undefined && !places.includes(place)) return unknown(`chats.${id}.directory`, place, places)
  }
  for (const [name, { agent: own, path }] of Object.entries(directories)) {
    if (own !== undefined && !names.includes(own)) return unknown(`directories.${name}.agent`, own, names)
    if (!path.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(path)) {
      return Result.fail(new InvalidParams({ option: `directories.${name}.path`, problem: "is not an absolute path" }))
    }
  }
  return Result.succeed({
    agents,
    agent,
    profiles,
    directories,
    directory,
    live,
    idleMs: toMillis(idle),
    total,
    chunkLength,
    whileBusy,
    onInterrupted,
    onUnknown,
    access,
    chats,
    gateway: gateway.success,
    onToolSend,
    progress,
    footer,
    approvals,
    deliver,
    onRestart,
    pair
  })
}
