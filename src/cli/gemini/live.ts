/**
 * Live sessions of Gemini CLI (0.61.0): `gemini --acp`, the Agent Client Protocol on stdin and stdout. A session is
 * loaded by its id with a blank in front. The CLI looks the id up without the blank; but with it, the empty record that
 * it creates on the way has a name of its own. By the same name that record would replace a conversation started in the
 * same minute, and at the next start the empty one would be deleted together with the real one.
 */
import { acpDialogue } from "../acp/live/dialogue.ts"
import { type Dialogue, isAction, type Live, type Output } from "../Live.ts"
import { inSessions } from "../supported.ts"
import { livePlan, sessionServers } from "./live/command.ts"
import { geminiFlavor } from "./live/flavor.ts"
import { withModes } from "./live/modes.ts"
import { withPlans } from "./live/plans.ts"

const loadedAs = (sessionId: string) => ` ${sessionId}`

const named = (output: Output): Output =>
  !isAction(output) && output.type === "session" ? { ...output, sessionId: output.sessionId.trim() } : output

/** Restores a loaded session's own id, whatever the CLI calls it. */
const withName = (dialogue: Dialogue): Dialogue => ({ ...dialogue, push: (json) => dialogue.push(json).map(named) })

const dialogue: Live["dialogue"] = (params, context) => {
  const { sessionId } = params
  const sessionParams = {
    ...params,
    mcpServers: sessionServers(params),
    ...(sessionId === undefined ? {} : { sessionId: loadedAs(sessionId) })
  }
  return withModes(withPlans(withName(acpDialogue(geminiFlavor)(sessionParams, context))))
}

export const live: Live = {
  supports: inSessions("gemini"),
  plan: livePlan,
  dialogue,
  hostTools: "server",
  hostToolPrefixes: ["mcp_host_"],
  // With a server that it has started itself, the CLI stays.
  leavesAtEndOfInput: false
}
