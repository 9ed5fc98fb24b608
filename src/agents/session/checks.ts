/** Checks what callers give to a session at run time, since JavaScript has no types. */
import { Predicate, Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { AgentExecuteParams, PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { TurnOptions } from "../../contract/AgentOpenParams.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { hintFor } from "../../contract/suggestions.ts"
import { withJsonSchema } from "../answers/outputForm.ts"

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

export const noOptions = Object.freeze<TurnOptions<never>>({})

/** Options of turns on a conversation, which takes them out before. */
const ofConversations = ["turnId", "onInterrupted"] as const

const noConversation: { readonly [Option in "prompt" | "text"]: string } = {
  prompt: "is for a live session on a conversation: open it with { conversation }, and with a store",
  text: "is for turns that are asked by `turn`: a text that is sent has none"
}

const withoutConversation = (option: "prompt" | "text", options: unknown): Result.Result<unknown, InvalidParams> => {
  if (!Predicate.isObject(options) || Array.isArray(options)) return Result.succeed(options)
  const { turnId, onInterrupted, ...others } = options as { readonly [name: string]: unknown }
  const identity = { turnId, onInterrupted }
  const refused = ofConversations.find((name) => identity[name] !== undefined)
  if (refused === undefined) return Result.succeed(others)
  return Result.fail(new InvalidParams({ option: refused, problem: noConversation[option] }))
}

export const checkTurn = (
  option: "prompt" | "text",
  text: unknown,
  options: unknown
): Result.Result<void, InvalidParams> => {
  const checked = checkText(option, text)
  if (Result.isFailure(checked) || options === noOptions) return checked
  return withoutConversation(option, options).pipe(
    Result.flatMap(withJsonSchema),
    Result.flatMap(parseTurnOptions),
    Result.map(() => undefined)
  )
}
