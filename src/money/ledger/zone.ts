/** The time zone of a caller. */
import { Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { hostZone, isZone } from "./zones.ts"

/** Default: that of the host. */
export const checkZone = (zone: unknown): Result.Result<string, InvalidParams> => {
  if (zone === undefined) return Result.succeed(hostZone())
  if (typeof zone === "string" && isZone(zone)) return Result.succeed(zone)
  const named = typeof zone === "string" ? JSON.stringify(zone.slice(0, 40)) : "it"
  const problem = `${named} is not a time zone: write one such as Europe/Berlin or UTC`
  return Result.fail(new InvalidParams({ option: "zone", problem }))
}
