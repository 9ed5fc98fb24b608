/** Checks what callers give to a session at run time, since JavaScript has no types. */
import { Result, Schema } from "effect"
import { withJsonSchema } from "../answers/outputForm.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import { makeParser } from "../contract/input.ts"
import { hintFor } from "../contract/suggestions.ts"
import type { TurnOptions } from "../types/TurnOptions.ts"

const isMode = Schema.is(PermissionMode)

export const checkText = (option: string, text: unknown): Result.Result<void, InvalidParams> => {
  if (typeof text !== "string") return Result.fail(new InvalidParams({ option, problem: "is not text" }))
  return text.trim() === "" ? Result.fail(new InvalidParams({ option, problem: "is empty" })) : Result.void
}

export const checkPermissionMode = (mode: unknown): Result.Result<void, InvalidParams> => {
  if (isMode(mode)) return Result.void
  const hint = typeof mode === "string" ? hintFor(mode, PermissionMode.literals) : ""
  const problem = `${JSON.stringify(mode)} is not one of ${PermissionMode.literals.join(", ")}${hint}`
  return Result.fail(new InvalidParams({ option: "permissionMode", problem }))
}

const { attachments, outputSchema, retries } = AgentExecuteParams.fields
const parseTurnOptions = makeParser(Schema.Struct({ attachments, outputSchema, retries }), "options")

/** The options of most turns. */
export const noOptions = Object.freeze<TurnOptions<never>>({})

export const checkTurn = (option: string, text: unknown, options: unknown): Result.Result<void, InvalidParams> => {
  const checked = checkText(option, text)
  if (Result.isFailure(checked) || options === noOptions) return checked
  return Result.map(Result.flatMap(withJsonSchema(options), parseTurnOptions), () => undefined)
}
