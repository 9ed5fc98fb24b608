/**
 * How Gemini CLI (0.61.0) speaks the Agent Client Protocol. Its permission request is the only announcement of a call,
 * and a denied call gets no further update. Tokens come with the answer to a prompt.
 */
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { base64Of, type LoadedAttachment, textOf } from "../../../contract/attachments.ts"
import { failureOf } from "../../acp/live/failures.ts"
import type { AcpFlavor, AcpRequest, AcpSession } from "../../acp/live/flavor.ts"
import { askForMode, askForModel } from "../../acp/live/sessionFacts.ts"
import { failureOfStatus } from "../run/failures.ts"
import { askOfCall, describeCall } from "./tools.ts"
import { reportOf } from "./usage.ts"

const modeIds: Readonly<Record<PermissionMode, string>> = {
  default: "default",
  plan: "plan",
  "accept-edits": "autoEdit",
  bypass: "yolo"
}

const reportedModes = new Map<string, PermissionMode>([
  ["default", "default"],
  ["plan", "plan"],
  ["autoEdit", "accept-edits"],
  ["yolo", "bypass"]
])

/** Undefined for an unknown word. */
export const reportedMode = (modeId: string): PermissionMode | undefined => reportedModes.get(modeId)

const askFor = (session: AcpSession, permissionMode: PermissionMode): AcpRequest | undefined => {
  const request = askForMode(session, modeIds[permissionMode])
  return request && { ...request, sets: { ...request.sets, permissionMode } }
}

const zeroWidth = "\u200B"

/** A `/` or `$` in front would run a command of the CLI, also behind blanks. */
const disarm = (text: string) => (/^\s*[/$]/.test(text) ? `${zeroWidth}${text}` : text)

/** Beside a `resource`, the CLI silently drops images and sounds. Any other type is passed on in an `image`. */
const blockOf = (attachment: LoadedAttachment) =>
  attachment.kind === "text"
    ? { type: "text", text: `\n\n--- ${attachment.name} ---\n${textOf(attachment)}` }
    : { type: "image", mimeType: attachment.mediaType, data: base64Of(attachment) }

const serverNames = ({ mcpServers = {} }: AgentOpenParams) => Object.keys(mcpServers)

export const geminiFlavor: AcpFlavor = {
  id: "gemini",
  resumes: "load",
  historyEnds: "commands",
  begin: [
    // A flag sets the mode, which the CLI silently ignores in some places.
    ({ permissionMode }, session) =>
      permissionMode === undefined || session.modeId === modeIds[permissionMode]
        ? undefined
        : askFor(session, permissionMode)
  ],
  change: (change, session) =>
    (change._tag === "Model" ? askForModel(session, change.model) : askFor(session, change.permissionMode)) ?? {
      problem: "Gemini CLI offers no way to change it"
    },
  describe: (call, params) => describeCall(call, serverNames(params)),
  ask: askOfCall,
  rejectsSilently: true,
  prompt: (text, slashCommands) => [{ type: "text", text: slashCommands ? text : disarm(text) }],
  attachment: blockOf,
  report: reportOf,
  failure: (error) =>
    error.code >= 400 && error.code < 600 ? failureOfStatus(error.code, error.message) : failureOf(error)
}
