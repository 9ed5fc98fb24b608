/** `can_use_tool` → a permission request in the words of all CLIs (2.1.328). */
import { Predicate, Result } from "effect"
import type { Offer, PermissionAsk } from "../../../contract/Rule.ts"
import type { ToolKind } from "../../../contract/ToolEvent.ts"
import { entryOf, present } from "../../jsonFields.ts"
import { prefixOffer } from "../../outputs.ts"
import { omit, readFiles, textIn } from "../../toolInputs.ts"
import { describeTool, fileTools } from "../run/tools.ts"
import { type CanUseTool, decodeSuggestion } from "./wire.ts"

const exitPlan = "ExitPlanMode"

const editTools = Object.keys(fileTools).filter((name) => describeTool(name, {}).kind === "file_change")

/** Outside of the CLI's sandbox or of its directories. */
const isEscalated = (input: unknown, { decision_reason_type: why }: CanUseTool): boolean =>
  why === "workingDir" ||
  (Predicate.hasProperty(input, "dangerouslyDisableSandbox") && input.dangerouslyDisableSandbox === true)

/** Approvers of plans are asked when plan mode is left, not when it is entered. */
const kindOf = (toolName: string, kind: ToolKind): ToolKind =>
  kind === "plan" && toolName !== exitPlan ? "other" : kind

/** The pattern is the words of a command and `*`. */
const commandOffer = (pattern: string): ReadonlyArray<Offer> =>
  pattern.endsWith(" *") ? prefixOffer(pattern.slice(0, -2).split(" "), "", { tools: ["Bash"] }) : []

const toolOffer = (tool: string): ReadonlyArray<Offer> => {
  if (tool.includes("*")) return []
  const covers = `Every call of ${tool}, with any input, until this session ends.`
  return [{ label: `all calls of ${tool}`, covers, match: { tools: [tool] } }]
}

/** Only suggestions that surely mean the same here (2.1.330). They are not returned, so that the CLI keeps asking. */
const offersOf = (suggestion: unknown): ReadonlyArray<Offer> => {
  const decoded = decodeSuggestion(suggestion)
  if (Result.isFailure(decoded)) return []
  return decoded.success.rules.flatMap(({ toolName, ruleContent }) => {
    if (ruleContent == null) return toolOffer(toolName)
    return toolName === "Bash" ? commandOffer(ruleContent) : []
  })
}

export const askOf = (
  requestId: string,
  toolId: string,
  request: CanUseTool,
  parentToolId: string | undefined
): PermissionAsk => {
  const { tool_name: toolName, input = {} } = request
  const { kind, title } = describeTool(toolName, input)
  const isEdit = kind === "file_change"
  // Without any reason it is an edit like others.
  const reason = request.decision_reason || (isEdit ? request.decision_reason_type : undefined)
  const command = kind === "command" ? textIn(input, "command") : undefined
  const tool = entryOf(fileTools, toolName)
  const files = tool && readFiles(tool, input)
  const places = [...(files?.paths ?? []), request.blocked_path ?? undefined].filter((place) => place !== undefined)
  const plan = toolName === exitPlan ? textIn(input, "plan") : undefined
  const isPlanMissing = toolName === exitPlan && (plan ?? "").trim() === ""
  return {
    requestId,
    toolName,
    toolId,
    kind: kindOf(toolName, kind),
    input,
    title,
    escalated: isEscalated(input, request),
    ...(command === undefined ? {} : { command, rest: omit(input, ["command"]) }),
    ...files,
    ...(places.length === 0 ? {} : { paths: [...new Set(places)] }),
    ...(plan === undefined || isPlanMissing ? {} : { plan, rest: omit(input, ["plan"]) }),
    ...(isPlanMissing ? { isIncomplete: true } : {}),
    ...(toolName === exitPlan ? { plannedEdits: editTools } : {}),
    ...(reason ? { reason } : {}),
    ...present({ parentToolId }),
    offers: (request.permission_suggestions ?? []).flatMap(offersOf),
    takesInput: true
  }
}
