/** Any agent of the Agent Client Protocol as a value: it has live sessions only, and a run is made of one. */
import { Result } from "effect"
import { type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { LivePlan } from "../../contract/Plan.ts"
import type { Cli } from "../Cli.ts"
import type { Live } from "../Live.ts"
import { acpDialogue } from "./dialogue.ts"
import { genericFlavor } from "./generic.ts"

const plan = (
  params: Pick<AgentOpenParams, "sessionId" | "forkSession" | "extraArgs">
): Result.Result<LivePlan, FailureReason> => {
  if (params.forkSession === true && params.sessionId === undefined) {
    return Result.fail(new InvalidParams({ option: "forkSession", problem: "needs sessionId, the session to fork" }))
  }
  const args = (params.extraArgs ?? []).map((text) => ({ option: "extraArgs", text }))
  return Result.succeed({ args, files: [], env: {} })
}

const shared = [
  "sessionId",
  "forkSession",
  "mcpServers",
  "model",
  "effort",
  "permissionMode",
  "slashCommands",
  "extraArgs"
] as const

const liveOf = (id: string): Live => ({
  supports: new Set([...shared, "tools"]),
  plan,
  dialogue: acpDialogue(genericFlavor(id)),
  hostTools: "server",
  leavesAtEndOfInput: true
})

export const acp = (id: string, command: string): Cli => ({
  id,
  command,
  testedVersion: "1",
  install: "as its makers say",
  signIn: "as its makers say",
  stopSignal: "SIGTERM",
  // How long it may be silent by itself is not known.
  idle: "15 minutes",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => false,
  supports: new Set(shared),
  plan: (params) => Result.map(plan(params), (planned) => ({ ...planned, stdin: "" })),
  // A run is a session: nothing reads these.
  decoder: () => ({ push: () => [], standing: () => "working", report: () => ({}), verdict: () => undefined }),
  live: liveOf(id),
  isLiveOnly: true
})
