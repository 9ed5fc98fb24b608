/** The gateway's options, checked, with their defaults; pure. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { Conversation } from "../messages/Conversation.ts"
import { isZone } from "./cronTimes.ts"
import type { GatewayOptions, GatewayProfile, GatewayTargetOptions } from "./GatewayOptions.ts"
import { gatewayProfiles } from "./profiles.ts"

export interface CheckedGateway {
  readonly profile: GatewayProfile
  readonly targets: { readonly [name: string]: GatewayTargetOptions }
  readonly zone: string
  readonly scheduleUsd: number
  readonly aliases: boolean
}

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
): Result.Result<CheckedGateway, InvalidParams> => {
  if (typeof input === "string") {
    return Result.flatMap(parseProfile({ gateway: input }), ({ gateway: profile }) => checkGateway({ profile }))
  }
  const parsed = parse(input)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const { profile = "reply", targets = {}, scheduleUsd = 1, aliases = false } = input
  const { zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = input
  if (!isZone(zone)) return wrong("gateway.zone", `${JSON.stringify(zone)} is not a time zone, such as "Europe/Berlin"`)
  for (const name of Object.keys(targets)) {
    if (!isName(name))
      return wrong("gateway.targets", `${JSON.stringify(name)} is not a name: use letters, digits, . _ -`)
  }
  return Result.succeed({ profile, targets, zone, scheduleUsd, aliases })
}
