/** What a caller asks of an open session, checked where TypeScript did not see it; pure. */
import { Schema } from "effect"
import type { Change } from "../cli/Live.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import { PermissionMode } from "../contract/AgentExecuteParams.ts"

const isMode = Schema.is(PermissionMode)

const problemOfText = (text: unknown) => {
  if (typeof text !== "string") return "is no text"
  return text.trim() === "" ? "is empty" : undefined
}

export const wrongText = (option: string, text: unknown): InvalidParams | undefined => {
  const problem = problemOfText(text)
  return problem === undefined ? undefined : new InvalidParams({ option, problem })
}

export const wrongChange = (change: Change): InvalidParams | undefined => {
  if (change._tag === "Model") return wrongText("model", change.model)
  if (isMode(change.permissionMode)) return undefined
  const problem = `${JSON.stringify(change.permissionMode)} is none of ${PermissionMode.literals.join(", ")}`
  return new InvalidParams({ option: "permissionMode", problem })
}
