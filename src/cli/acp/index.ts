/** Any agent of the Agent Client Protocol as a value: it has live sessions only, and a run is made of one. */
import { Result } from "effect"
import { UnsupportedOption } from "../../contract/AgentError.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AcpUsage } from "../../contract/AgentOptions.ts"
import { attachmentKinds } from "../../contract/Attachment.ts"
import type { Cli } from "../Cli.ts"
import { extra, forkProblem } from "../commandLine.ts"
import { unread } from "../Decoder.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { acpDialogue } from "./live/dialogue.ts"
import type { AcpFlavor, AcpRequest, AcpSession, BeginStep, Changing } from "./live/flavor.ts"
import { reports } from "./live/outcomes.ts"
import { askForEffort, askForMode, askForModel, withMode } from "./live/sessionFacts.ts"
import { dialogue } from "./models.ts"

const plan: Live["plan"] = (params) => {
  const problem = forkProblem(params)
  return problem === undefined ? Result.succeed({ args: extra(params), files: [], env: {} }) : Result.fail(problem)
}

const planning = ["plan", "architect"]
const planModeOf = ({ modeIds }: AcpSession) => planning.find((id) => modeIds.includes(id))

const changeModel = (session: AcpSession, model: string): Changing =>
  askForModel(session, model) ?? { problem: "this agent offers no choice of models" }

/** The agent's own modes, by what they promise. */
export type AcpModes = { readonly [Mode in PermissionMode]?: string }

/** The agent's own mode; undefined where it offers none that keeps `permissionMode`, or none is known. */
const modeFor = (modes: AcpModes | undefined, session: AcpSession, permissionMode: PermissionMode) => {
  if (modes === undefined) return permissionMode === "plan" ? planModeOf(session) : undefined
  const modeId = modes[permissionMode]
  return modeId !== undefined && session.modeIds.includes(modeId) ? modeId : undefined
}

/** `plan` needs a mode of the agent, as do the others where its modes are known; in `bypass` all that it asks is allowed. */
const needsMode = (modes: AcpModes | undefined, session: AcpSession, permissionMode: PermissionMode): boolean =>
  permissionMode === "plan" || (modes !== undefined && session.modeIds.length > 0 && permissionMode !== "bypass")

/** Without known modes: to planning, and back to the agent's first mode. */
const changeMode = (modes: AcpModes | undefined, session: AcpSession, permissionMode: PermissionMode): Changing => {
  const own = modeFor(modes, session, permissionMode)
  if (own === undefined && needsMode(modes, session, permissionMode)) {
    return { problem: `this agent has no mode for ${permissionMode === "plan" ? "planning" : permissionMode}` }
  }
  const modeId = own ?? session.firstModeId
  const isThere = modeId === undefined || modeId === session.modeId
  return isThere ? undefined : withMode(askForMode(session, modeId), permissionMode)
}

/** The request or, where the agent does not offer the choice, a refusal. */
const demand = (id: string, option: string, request: AcpRequest | undefined) =>
  request ?? new UnsupportedOption({ option, cli: id })

const begin = (id: string, modes: AcpModes | undefined): ReadonlyArray<BeginStep> => [
  ({ model }, session) => (model === undefined ? undefined : demand(id, "model", askForModel(session, model))),
  ({ effort }, session) => (effort === undefined ? undefined : demand(id, "effort", askForEffort(session, effort))),
  ({ permissionMode }, session) => {
    if (permissionMode === undefined) return undefined
    const modeId = modeFor(modes, session, permissionMode)
    if (modeId !== undefined) return modeId === session.modeId ? undefined : askForMode(session, modeId)
    const option = permissionMode === "plan" ? "plan mode" : `permissionMode "${permissionMode}"`
    return needsMode(modes, session, permissionMode) ? demand(id, option, undefined) : undefined
  }
]

/** Facts of an agent that the protocol does not tell. */
export interface AcpFacts {
  readonly usage?: AcpUsage
  readonly modes?: AcpModes | undefined
}

/**
 * The flavor for an agent of the protocol. Modes are the agent's own words: where they are known, the session is set to the one
 * that keeps `permissionMode`, or refused. Of an unknown agent only the usual words for planning are looked for. What the agent
 * still asks for in `accept-edits` and `bypass` is allowed here.
 */
export const genericFlavor = (id: string, { usage = "turn", modes }: AcpFacts = {}): AcpFlavor => ({
  id,
  report: reports[usage],
  begin: begin(id, modes),
  change: (change, session) =>
    change._tag === "Model" ? changeModel(session, change.model) : changeMode(modes, session, change.permissionMode),
  unasked: (mode, { kind, toolName, toolId, title }) => {
    const isExpected = mode !== "bypass" && (kind === "command" || (kind === "file_change" && mode !== "accept-edits"))
    if (!isExpected) return undefined
    const message = `${id} did this without asking, as its own mode or settings allow: ${title}`
    return { type: "notice", kind: "warning", message, data: { toolName, toolId } }
  },
  allows: (mode, { kind }) => mode === "bypass" || (mode === "accept-edits" && kind === "file_change")
})

const liveOf = (id: string, facts: AcpFacts): Live => ({
  supports: inSessions("acp"),
  plan,
  dialogue: acpDialogue(genericFlavor(id, facts)),
  hostTools: "server",
  // An unknown agent: every known form.
  hostToolPrefixes: ["mcp__host__", "mcp_host_", "host_"],
  leavesAtEndOfInput: true
})

export const acp = (id: string, command: string, facts: AcpFacts = {}): Cli => ({
  id,
  command,
  testedVersion: "1",
  install: "as its makers say",
  signIn: "as its makers say",
  stopSignal: "SIGTERM",
  // The agent's own recovery is unknown.
  idle: "15 minutes",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => false,
  supports: inRuns("acp"),
  // Kinds that an agent can offer: its answer to `initialize` lists those that it takes.
  attachments: new Set(attachmentKinds),
  plan: (params, options, context) =>
    Result.map(plan(params, options, context), (planned) => ({ ...planned, stdin: "" })),
  // A run is a session: nothing reads these.
  decoder: () => unread,
  live: liveOf(id, facts),
  models: { plan: (options, context) => plan({}, options, context), dialogue },
  isLiveOnly: true
})
