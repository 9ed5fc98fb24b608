/** Options for the tools that agents of served channels get, their check, and which tools a role may call. */

import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { Conversation } from "../messages/Conversation.ts"
import { isZone } from "./cronTimes.ts"

/**
 * `none`: no tools. `reply`: messages, files and questions to the chat that the agent is in. `messaging`: also to listed
 * targets. `full`: also prompts for later, for owners alone.
 */
export type GatewayProfile = "none" | "reply" | "messaging" | "full"

/** A chat that agents may write to beside their own. */
export interface GatewayTargetOptions {
  /** A conversation of an account that the same bridge serves. */
  readonly conversation: Conversation
  /** For the agent. Default: none. */
  readonly description?: string | undefined
}

export interface GatewayOptions {
  /** Default: `reply`. */
  readonly profile?: GatewayProfile | undefined
  /** By the names by which agents call them. Default: none. */
  readonly targets?: { readonly [name: string]: GatewayTargetOptions } | undefined
  /** Time zone of schedules that name none, such as `Europe/Berlin`. Default: that of the host. */
  readonly zone?: string | undefined
  /** Limit for each run of a schedule, in US dollars, unless the agent asks for less. Default: 1. */
  readonly scheduleUsd?: number | undefined
  /** Lists the tools under the names of other bridges, too: `message`, `sessions_send`, `<channel>_send`. Default: false. */
  readonly aliases?: boolean | undefined
}

// Tools of an agent in a chat: by the configured profile, and by the role of the person that it works for; pure.

/** Each includes those before it. */
const gatewayProfiles = ["none", "reply", "messaging", "full"] as const satisfies ReadonlyArray<GatewayProfile>

/** As in access; the tools tell owners from all others. */
export type GatewayRole = "user" | "approver" | "admin" | "owner"

/** No name of a CLI's own tool: Gemini CLI (0.61.0) drops MCP tools named like one it excludes, such as `ask_user`. */
const gatewayToolNames = [
  "send_message",
  "send_file",
  "ask_person",
  "list_targets",
  "schedule_add",
  "schedule_list",
  "schedule_remove"
] as const
export type GatewayToolName = (typeof gatewayToolNames)[number]

const leastProfile: Readonly<Record<GatewayToolName, GatewayProfile>> = {
  send_message: "reply",
  send_file: "reply",
  ask_person: "reply",
  list_targets: "messaging",
  schedule_add: "full",
  schedule_list: "full",
  schedule_remove: "full"
}

/** The part of a profile that a role may use. */
const profileFor = (profile: GatewayProfile, role: GatewayRole): GatewayProfile =>
  profile === "full" && role !== "owner" ? "messaging" : profile

const rank = (profile: GatewayProfile) => gatewayProfiles.indexOf(profile)

export const mayCall = (name: GatewayToolName, profile: GatewayProfile, role: GatewayRole): boolean =>
  rank(profileFor(profile, role)) >= rank(leastProfile[name])

export const maySendElsewhere = (profile: GatewayProfile, role: GatewayRole): boolean =>
  rank(profileFor(profile, role)) >= rank("messaging")

// Checks the options of the gateway, and adds the defaults; pure.

export type CheckedGateway = { readonly [Name in keyof GatewayOptions]-?: NonNullable<GatewayOptions[Name]> }

const Target = Schema.Struct({ conversation: Conversation, description: Schema.optional(Schema.String) })

const parse = makeParser(
  Schema.Struct({
    profile: Schema.optional(Schema.Literals(gatewayProfiles)),
    targets: Schema.optional(Schema.Record(Schema.String, Target)),
    zone: Schema.optional(Schema.String),
    scheduleUsd: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0))),
    aliases: Schema.optional(Schema.Boolean)
  }),
  "gateway"
)

const parseProfile = makeParser(Schema.Struct({ gateway: Schema.Literals(gatewayProfiles) }), "options")

/** Names that a model can write without a mistake. */
const isName = (name: string) => /^[\w.-]{1,60}$/.test(name)

const wrong = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))

export const checkGateway = (
  input: GatewayProfile | GatewayOptions = "reply"
): Result.Result<CheckedGateway, InvalidParams> =>
  Result.gen(function* () {
    if (typeof input === "string") {
      const { gateway: profile } = yield* parseProfile({ gateway: input })
      return yield* checkGateway({ profile })
    }
    yield* parse(input)
    const { profile = "reply", targets = {}, scheduleUsd = 1, aliases = false } = input
    const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = input
    const badZone = `${JSON.stringify(zone)} is not a time zone, such as "Europe/Berlin"`
    if (!isZone(zone)) return yield* wrong("gateway.zone", badZone)
    const bad = Object.keys(targets).find((name) => !isName(name))
    if (bad === undefined) return { profile, targets, zone, scheduleUsd, aliases }
    return yield* wrong("gateway.targets", `${JSON.stringify(bad)} is not a name: use letters, digits, . _ -`)
  })
