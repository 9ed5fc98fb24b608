/** Params → arguments of an agent that is started with the command and the arguments the caller names; pure. */
import { Result } from "effect"
import { type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { Plan } from "../../contract/Plan.ts"

export const plan = (
  params: Pick<AgentOpenParams, "sessionId" | "forkSession" | "extraArgs">
): Result.Result<Plan, FailureReason> => {
  if (params.forkSession === true && params.sessionId === undefined) {
    return Result.fail(new InvalidParams({ option: "forkSession", problem: "needs sessionId, the session to fork" }))
  }
  const args = (params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))
  return Result.succeed({ args, files: [], env: {} })
}
