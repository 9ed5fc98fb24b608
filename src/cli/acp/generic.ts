/**
 * The flavor for an agent of which nothing is known. Modes are the agent's own words, so only those for planning are
 * looked for; `accept-edits` and `bypass` are kept here, by allowing what the agent asks for.
 */
import { type FailureReason, UnsupportedOption } from "../../AgentError.ts"
import type { PermissionMode } from "../../AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../AgentOpenParams.ts"
import type { AcpFlavor, AcpRequest, AcpSession, Changing } from "./flavor.ts"
import { askForEffort, askForMode, askForModel } from "./sessionFacts.ts"

const planning = ["plan", "architect"]

const planModeOf = ({ modeIds }: AcpSession) => planning.find((id) => modeIds.includes(id))

const changeModel = (session: AcpSession, model: string): Changing =>
  askForModel(session, model) ?? { problem: "this agent offers no choice of models" }

/** To plan, and back to where the agent was at first. */
const changeMode = (session: AcpSession, permissionMode: PermissionMode): Changing => {
  const planMode = planModeOf(session)
  if (permissionMode === "plan" && planMode === undefined) return { problem: "this agent has no mode for planning" }
  const wanted = permissionMode === "plan" ? planMode : session.firstModeId
  const isThere = wanted === undefined || wanted === session.modeId
  const request = isThere ? undefined : askForMode(session, wanted)
  return request && { ...request, sets: { ...request.sets, permissionMode } }
}

const begin = (id: string, { model, effort, permissionMode }: AgentOpenParams, session: AcpSession) => {
  const requests: Array<AcpRequest> = []
  const add = (option: string, request: AcpRequest | undefined): FailureReason | undefined => {
    if (request === undefined) return new UnsupportedOption({ option, cli: id })
    requests.push(request)
    return undefined
  }
  const planMode = planModeOf(session)
  const planRequest = planMode === undefined ? undefined : askForMode(session, planMode)
  const problem =
    (model === undefined ? undefined : add("model", askForModel(session, model))) ??
    (effort === undefined ? undefined : add("effort", askForEffort(session, effort))) ??
    (permissionMode === "plan" ? add("plan mode", planRequest) : undefined)
  return problem ?? requests
}

export const genericFlavor = (id: string): AcpFlavor => ({
  id,
  begin: (params, session) => begin(id, params, session),
  change: (change, session) =>
    change._tag === "Model" ? changeModel(session, change.model) : changeMode(session, change.permissionMode),
  allows: (mode, { kind }) => mode === "bypass" || (mode === "accept-edits" && kind === "file_change")
})
