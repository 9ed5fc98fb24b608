/** Checks the input of a caller to an open session at run time, since JavaScript has no types; pure. */
import { Result, Schema } from "effect"
import { InvalidParams } from "./AgentError.ts"
import { PermissionMode } from "./AgentExecuteParams.ts"

const isMode = Schema.is(PermissionMode)

export const checkText = (option: string, text: unknown): Result.Result<void, InvalidParams> => {
  if (typeof text !== "string") return Result.fail(new InvalidParams({ option, problem: "is not text" }))
  return text.trim() === "" ? Result.fail(new InvalidParams({ option, problem: "is empty" })) : Result.void
}

export const checkPermissionMode = (mode: unknown): Result.Result<void, InvalidParams> => {
  if (isMode(mode)) return Result.void
  const problem = `${JSON.stringify(mode)} is not one of ${PermissionMode.literals.join(", ")}`
  return Result.fail(new InvalidParams({ option: "permissionMode", problem }))
}
