/**
 * The flavor for an agent of which nothing is known. Modes are the agent's own words, so only those for planning are
 * looked for; `accept-edits` and `bypass` are kept here, by allowing what the agent asks for.
 */
import { UnsupportedOption } from "../../../contract/AgentError.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AcpFlavor, AcpRequest, AcpSession, BeginStep, Changing } from "./flavor.ts"
import { askForEffort, askForMode, askForModel } from "./sessionFacts.ts"

const planning = ["plan", "architect"]

const planModeOf = ({ modeIds }: AcpSession) => planning.find((id) => modeIds.includes(id))

const changeModel = (session: AcpSession, model: string): Changing =>
  askForModel(session, model) ?? { problem: "this agent offers no choice of models" }

/** To plan, and back to where the agent was at first. */
const changeMode = (session: AcpSession, permissionMode: PermissionMode): Changing => {
  const planMode = planModeOf(session)
  if (permissionMode === "plan" && planMode === undefined) return { problem: "this agent has no mode for planning" }
  const modeId = permissionMode === "plan" ? planMode : session.firstModeId
  const isThere = modeId === undefined || modeId === session.modeId
  const request = isThere ? undefined : askForMode(session, modeId)
  return request && { ...request, sets: { ...request.sets, permissionMode } }
}

/** The request or, where the agent does not offer the choice, a refusal. */
const demand = (id: string, option: string, request: AcpRequest | undefined) =>
  request ?? new UnsupportedOption({ option, cli: id })

const begin = (id: string): ReadonlyArray<BeginStep> => [
  ({ model }, session) => (model === undefined ? undefined : demand(id, "model", askForModel(session, model))),
  ({ effort }, session) => (effort === undefined ? undefined : demand(id, "effort", askForEffort(session, effort))),
  ({ permissionMode }, session) => {
    if (permissionMode !== "plan") return undefined
    const planMode = planModeOf(session)
    return demand(id, "plan mode", planMode === undefined ? undefined : askForMode(session, planMode))
  }
]

export const genericFlavor = (id: string): AcpFlavor => ({
  id,
  begin: begin(id),
  change: (change, session) =>
    change._tag === "Model" ? changeModel(session, change.model) : changeMode(session, change.permissionMode),
  allows: (mode, { kind }) => mode === "bypass" || (mode === "accept-edits" && kind === "file_change")
})
